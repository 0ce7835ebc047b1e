import { useSyncExternalStore } from 'react';
import { text } from '../../strings.ts';

/** What brought the browser here and signs it in without the form. */
type Arrival =
  | { kind: 'link'; token: string }
  | { kind: 'provider'; body: { code: string; state: string; iss?: string } }
  | { kind: 'refused'; reason: string };

/** Takes a link's token and the provider's response out of the address at once: they must not stay in the history. */
function takeFromAddress(): Arrival | null {
  const { hash, pathname, search } = window.location;
  const [, token] = /^#sign-in=(link_[\w-]+)$/.exec(hash) ?? [];
  const isFromProvider = pathname === '/console/oidc';
  if (token || isFromProvider) {
    window.history.replaceState(null, '', isFromProvider ? '/console/' : pathname);
  }
  if (token) return { kind: 'link', token };
  return isFromProvider ? responseIn(new URLSearchParams(search)) : null;
}

function responseIn(query: URLSearchParams): Arrival {
  const [code, state, iss, error] = ['code', 'state', 'iss', 'error'].map((name) => query.get(name));
  if (code && state) return { kind: 'provider', body: { code, state, ...(iss && { iss }) } };
  // Anyone can write the address: of its text only an error code is shown.
  const isCode = error && /^[a-z_]{1,40}$/.test(error);
  return { kind: 'refused', reason: isCode ? text.signIn.refused(error) : text.signIn.incomplete };
}

let arrival = takeFromAddress();

/** Null once it was taken: an operator whose session ends meanwhile gets the form. */
export function takeArrival(): Arrival | null {
  const taken = arrival;
  arrival = null;
  return taken;
}

let links = 0;

function onLink(listen: () => void): () => void {
  // A link that is opened in a tab of the console changes only the fragment of its address.
  const onHash = () => {
    const next = takeFromAddress();
    if (next === null) return;
    arrival = next;
    links += 1;
    listen();
  };
  window.addEventListener('hashchange', onHash);
  return () => window.removeEventListener('hashchange', onHash);
}

/** How many sign-in links have been opened in this tab since its page was loaded. */
export const useLinks = () => useSyncExternalStore(onLink, () => links);
