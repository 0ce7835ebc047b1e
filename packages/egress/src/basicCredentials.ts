/** `Authorization` for the user name and password that a URL carries; null when it carries neither. */
export function basicCredentials({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(text).toString('base64')}`;
}
