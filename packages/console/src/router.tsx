import { lazyRouteComponent } from '@tanstack/react-router';
import { LostError } from './api.ts';
import { client } from './mount.tsx';
import { text } from './strings/shared.ts';
import { Button } from './ui/button.tsx';
import { Empty } from './ui/states.tsx';

/** A page whose code is loaded when it is first opened: tried until the server responds. */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  const loaded = () =>
    client.fetchQuery({
      queryKey: ['page', name],
      queryFn: () => load().catch(failed),
      retry: (_count, error) => error instanceof LostError,
    });
  return lazyRouteComponent(loaded, name);
}

/** If the server responds, it has another version, and the router reloads the document. Without a server, that would lose it. */
async function failed(error: unknown): Promise<never> {
  const response = await fetch(window.location.href, { method: 'HEAD' }).catch(() => null);
  throw response?.ok ? error : new LostError(true);
}

function Broken() {
  return (
    <Empty isPage title={text.broken} hint={text.brokenHint}>
      <Button onClick={() => window.location.reload()}>{text.reload}</Button>
    </Empty>
  );
}

/** What the routers of the console and the portal share. */
export const routerOptions = {
  scrollRestoration: true,
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: () => <Empty isPage title={text.notFound} hint={text.notFoundHint} />,
  /** The router itself would read JSON, and hand numbers, lists and objects to pages that expect texts. */
  parseSearch: (search: string) =>
    Object.fromEntries([...new URLSearchParams(search)].filter(([, value]) => value !== '')),
  stringifySearch(search: Record<string, unknown>): string {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const written = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return written && `?${written}`;
  },
};
