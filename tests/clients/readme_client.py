# pip install "a2a-sdk[grpc]", then: python client.py localhost:50051 WEBHOOK_URL
import asyncio
import sys

import grpc
from a2a.client import ClientConfig, create_client, minimal_agent_card
from a2a.helpers import get_stream_response_text, new_text_message
from a2a.types import Role, SendMessageRequest, TaskPushNotificationConfig


async def main(address: str, webhook: str) -> None:
    card = minimal_agent_card(address, ["GRPC"])
    card.capabilities.streaming = True
    config = ClientConfig(
        supported_protocol_bindings=["GRPC"],
        grpc_channel_factory=grpc.aio.insecure_channel,
        push_notification_config=TaskPushNotificationConfig(url=webhook),
    )
    message = new_text_message("Hello there", role=Role.ROLE_USER)
    async with await create_client(card, config) as client:
        async for event in client.send_message(SendMessageRequest(message=message)):
            print(event.WhichOneof("payload"), get_stream_response_text(event))


asyncio.run(main(*sys.argv[1:]))
