import type { Success } from '@holdfast/domain/outcome';
import type { StoredFile } from '@holdfast/providers/outputFiles';

/** What the stored files say was made counts for the price: a million pixels each, of all pictures and videos. */
export function withMeasuredFiles(success: Success, files: readonly StoredFile[]): Success {
  const pixels = files.reduce((sum, { width = 0, height = 0 }) => sum + width * height, 0);
  return pixels > 0
    ? { ...success, measured: { ...success.measured, megapixels: pixels / 1_000_000 } }
    : success;
}
