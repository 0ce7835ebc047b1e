/** A path below `/admin/v1`, whatever stands in its parts. */
export const adminPath = (...parts: string[]) => parts.map((part) => `/${encodeURIComponent(part)}`).join('');
