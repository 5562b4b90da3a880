//! A fast checksum for files that are read again and again. It finds damage, not forgery: what is
//! downloaded is checked by its SHA-256 once.

const PRIME: u64 = 0x9e37_79b1_85eb_ca87;
const LANES: usize = 4;

/// The checksum of the bytes. It runs at about the speed of memory.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut lanes = [PRIME, PRIME.rotate_left(16), !PRIME, PRIME.rotate_left(48)];
    let (blocks, rest) = bytes.as_chunks::<{ 8 * LANES }>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = mix(*lane, u64::from_le_bytes(*word));
        }
    }
    let mut whole = mix(PRIME, bytes.len() as u64);
    for lane in lanes {
        whole = mix(whole, lane);
    }
    for byte in rest {
        whole = mix(whole, u64::from(*byte));
    }
    whole
}

/// Invertible in both arguments, so that one changed word always changes the result.
const fn mix(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(PRIME).rotate_left(31)
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn every_changed_byte_changes_it() {
        let bytes: Vec<u8> = (0..200_u8).collect();
        let whole = checksum(&bytes);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_ne!(checksum(&changed), whole, "byte {at}");
            assert_ne!(checksum(&bytes[..at]), whole, "cut at {at}");
        }
    }
}
