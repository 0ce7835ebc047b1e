/** Pixels of images and videos, milliseconds of audio and video; null: unknown. */
export type Measures = { width: number | null; height: number | null; durationMs: number | null };

export const unknown: Measures = { width: null, height: null, durationMs: null };

/** The longest side of a JPEG. A larger claim counts as none, for it would decide the price. */
const maxSide = 65_535;
const maxInt4 = 2_147_483_647;

/** As shown: an `orientation` of EXIF from 5 to 8 lays the image on its side. */
export function pixels(width: number | undefined, height: number | undefined, orientation = 1): Measures {
  const sides = [positiveOrNull(width, maxSide), positiveOrNull(height, maxSide)] as const;
  const [shownWidth, shownHeight] = orientation >= 5 && orientation <= 8 ? sides.toReversed() : sides;
  return { ...unknown, width: shownWidth ?? null, height: shownHeight ?? null };
}

export function durationMs(seconds: number): number | null {
  return positiveOrNull(seconds * 1000, maxInt4);
}

function positiveOrNull(value: number | undefined, max: number): number | null {
  const rounded = Math.round(value ?? 0);
  return rounded > 0 && rounded <= max ? rounded : null;
}

/** How long a frame of an animation is shown: browsers and ffprobe take less than 20 ms for 100. */
export function shownMs(ms: number): number {
  return ms <= 10 ? 100 : ms;
}
