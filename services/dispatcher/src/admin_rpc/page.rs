//! Sizes of pages, and tokens that name where the next one starts.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tonic::Status;

const DEFAULT: usize = 50;
const MOST: usize = 100;

pub(super) fn size(asked: i32) -> Result<usize, Status> {
    match usize::try_from(asked) {
        Ok(0) => Ok(DEFAULT),
        Ok(size) if size <= MOST => Ok(size),
        _ => Err(Status::invalid_argument(format!("page_size must be from 1 to {MOST}, or 0 for {DEFAULT}"))),
    }
}

/// The place that a token names; none for the first page.
pub(super) fn read<T: DeserializeOwned>(token: &str) -> Result<Option<T>, Status> {
    if token.is_empty() {
        return Ok(None);
    }
    let json = URL_SAFE_NO_PAD.decode(token).ok();
    let place = json.and_then(|json| serde_json::from_slice(&json).ok());
    place.map(Some).ok_or_else(|| Status::invalid_argument("page_token is not one that this method gave"))
}

pub(super) fn write<T: Serialize>(place: &T) -> Result<String, Status> {
    let json = serde_json::to_vec(place).map_err(|_| Status::internal("cannot name the next page"))?;
    Ok(URL_SAFE_NO_PAD.encode(json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_bounds() {
        assert_eq!(size(0).unwrap(), 50);
        assert_eq!(size(1).unwrap(), 1);
        assert_eq!(size(100).unwrap(), 100);
        assert!(size(101).is_err() && size(-1).is_err());
    }

    #[test]
    fn tokens_round_trip_and_others_are_refused() {
        let token = write(&(3, "x")).unwrap();
        assert_eq!(read::<(u8, String)>(&token).unwrap(), Some((3, "x".to_owned())));
        assert_eq!(read::<(u8, String)>("").unwrap(), None);
        assert!(read::<(u8, String)>("?").is_err());
        assert!(read::<u8>(&token).is_err());
    }
}
