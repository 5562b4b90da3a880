//! A vector of one byte for each dimension.

use crate::kernels;

/// The dimensions of a vector.
pub const DIMENSIONS: usize = 384;

/// A direction, in bytes. What a component stands for is its byte times `scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    pub scale: f32,
    pub bytes: [i8; DIMENSIONS],
}

impl Vector {
    /// The nearest vector to these components, which have length 1.
    #[expect(clippy::cast_possible_truncation, reason = "rounded, and at most 127")]
    pub(crate) fn of(components: &[f32; DIMENSIONS]) -> Self {
        let largest = components.iter().fold(0_f32, |most, it| most.max(it.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        Self {
            scale,
            bytes: components.map(|component| (component / scale).round() as i8),
        }
    }

    /// How close two vectors are: 1 for the same direction, about 0 for unrelated ones.
    pub fn similarity(&self, other: &Self) -> f32 {
        kernels::dot(&self.bytes, &other.bytes.map(i8::cast_unsigned)) * self.scale * other.scale
    }

    /// The scale and the bytes, as they are stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.scale.to_le_bytes().to_vec();
        out.extend(self.bytes.map(i8::cast_unsigned));
        out
    }

    /// `None` if these are not the bytes of a vector.
    pub fn from_bytes(stored: &[u8]) -> Option<Self> {
        let (scale, bytes) = stored.split_first_chunk::<4>()?;
        let bytes: &[u8; DIMENSIONS] = bytes.try_into().ok()?;
        let scale = f32::from_le_bytes(*scale);
        let is_vector = scale.is_finite() && scale > 0.0;
        is_vector.then(|| Self {
            scale,
            bytes: bytes.map(u8::cast_signed),
        })
    }
}
