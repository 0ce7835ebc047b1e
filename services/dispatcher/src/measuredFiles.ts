import type { Success } from '@holdfast/domain/outcome';
import type { StoredFile } from '@holdfast/providers/outputFiles';

/**
 * What the stored files say was made counts for the price: a million pixels each, of all pictures and videos; and the
 * seconds of clips, where their provider told of none.
 */
export function withMeasuredFiles(success: Success, files: readonly StoredFile[]): Success {
  const pixels = files.reduce((sum, { width = 0, height = 0 }) => sum + width * height, 0);
  const seconds = files.reduce((sum, { duration = 0 }) => sum + duration, 0);
  const made = {
    ...(seconds > 0 && { seconds }),
    ...success.measured,
    ...(pixels > 0 && { megapixels: pixels / 1_000_000 }),
  };
  return { ...success, measured: made };
}
