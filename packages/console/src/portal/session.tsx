import { useQuery } from '@tanstack/react-query';
import { isSignedOut } from '../api.ts';
import { useEndSession } from '../features/access/endSession.ts';
import { change, home, read, start } from './api.ts';
import { applyTheme } from './theme.ts';

export type Capability = 'executions' | 'webhooks' | 'keys' | 'usage' | 'topup';

/** The session, as `GET /v1/portal-session` describes it. */
export type PortalSession = {
  id: string;
  organization_id: string;
  organization_name: string;
  capabilities: Capability[];
  scopes: string[];
  key_id: string | null;
  theme: { accent: string | null; logo_url: string | null; color_scheme: 'auto' | 'light' | 'dark' };
  return_url: string | null;
  top_up_url: string | null;
  expires_at: string;
};

/** Takes the token of a link out of the address at once: it must not stay in the history. */
function takeToken(): string | null {
  const [, token] = /^#token=(link_[\w-]+)$/.exec(window.location.hash) ?? [];
  if (!token) return null;
  window.history.replaceState(null, '', window.location.pathname);
  return token;
}

let token = takeToken();

/** A frame that is loaded again has a used link, and the session that it started. */
async function openSession(): Promise<PortalSession> {
  const session = (await exchange()) ?? (await read<PortalSession>('/portal-session'));
  applyTheme(session);
  return session;
}

async function exchange(): Promise<PortalSession | null> {
  if (token === null) return null;
  try {
    const session = await change<PortalSession>('POST', '/portal-session', { body: { token } });
    token = null;
    return session;
  } catch (error) {
    if (!isSignedOut(error)) throw error;
    token = null;
    return null;
  }
}

export function useSession() {
  return useQuery({ queryKey: ['session'], queryFn: openSession, staleTime: 60_000 });
}

/** The capabilities and scopes of a page that is shown only within a session. */
export function useMay(): (capability: Capability, scope?: string) => boolean {
  const { data } = useSession();
  return (capability, scope) =>
    data !== undefined &&
    data.capabilities.includes(capability) &&
    (scope === undefined || data.scopes.includes(scope));
}

export async function signInWithKey(key: string): Promise<void> {
  const session = await start<PortalSession>('POST', '/portal-session', { body: { api_key: key } });
  window.location.assign(`/console/s/${session.id}/`);
}

export function useSignOut(returnUrl: string | null) {
  return useEndSession(
    () => change('DELETE', '/portal-session'),
    () => window.location.assign(returnUrl ?? '/console/'),
  );
}

export const isAtSession = home !== '/console';
