const timeoutMs = 5000;

/** Where the operator opens the console: signed in, where the gateway makes a link for one sign-in, and else not. */
export async function consoleLink(adminUrl: string, adminToken: string): Promise<string> {
  const address = `${adminUrl}/console/`;
  try {
    const response = await fetch(`${adminUrl}/admin/v1/sign-in-links`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${adminToken}` },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { token } = (await response.json()) as { token?: string };
    return response.ok && token !== undefined ? `${address}#sign-in=${token}` : address;
  } catch {
    return address;
  }
}
