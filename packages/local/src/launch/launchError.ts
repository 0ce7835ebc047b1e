/** What stops a start for a reason the user can act upon: shown as one line, without a stack. */
export class LaunchError extends Error {
  override name = 'LaunchError';
}
