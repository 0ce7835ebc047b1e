/** Null where the browser keeps nothing, as in a frame of another site. */
export function storage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
