import { Link, Navigate, Outlet, useLocation } from '@tanstack/react-router';
import { isSignedOut } from '../api.ts';
import { text } from '../strings/shared.ts';
import { mark } from '../ui/brand.tsx';
import { Button, linkLook } from '../ui/button.tsx';
import { useEntryInView } from '../ui/navigation.ts';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { LanguageChoice } from './LanguageChoice.tsx';
import { SignIn } from './pages/SignIn.tsx';
import { type Capability, isAtSession, type PortalSession, useSession, useSignOut } from './session.tsx';
import { words } from './strings.ts';

const pages: readonly [Capability, '/executions' | '/batches' | '/webhooks' | '/keys' | '/usage', string][] =
  [
    ['executions', '/executions', words.nav.executions],
    ['executions', '/batches', text.batches.title],
    ['webhooks', '/webhooks', words.nav.webhooks],
    ['keys', '/keys', words.nav.keys],
    ['usage', '/usage', words.nav.usage],
  ];

/** A session with `topup` alone has the page with the balance too. */
function pagesOf({ capabilities }: PortalSession) {
  return pages.filter(
    ([needed]) => capabilities.includes(needed) || (needed === 'usage' && capabilities.includes('topup')),
  );
}

export function Shell() {
  return isAtSession ? <Within /> : <SignIn />;
}

function Within() {
  const session = useSession();
  const returnUrl = session.data?.return_url ?? null;
  const { signOut, error } = useSignOut(window.top === window ? returnUrl : null);
  if (isSignedOut(session.error)) {
    return (
      <main className="grid min-h-dvh place-items-center">
        <Empty isPage title={words.ended} hint={words.endedHint}>
          <WayBack to={returnUrl} />
        </Empty>
      </main>
    );
  }
  if (!session.data) {
    return (
      <main>
        <h1 className="sr-only">{words.title}</h1>
        {session.isPending && <Skeleton />}
        {session.error && <Problem error={session.error} onRetry={() => void session.refetch()} />}
      </main>
    );
  }
  return (
    <>
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:bg-card focus:p-3">
        {text.skip}
      </a>
      <Head session={session.data} signOut={signOut} />
      {session.isError && <Problem error={session.error} />}
      {error !== null && <Problem error={error} onRetry={signOut} />}
      <main id="content" className="mx-auto max-w-6xl px-4 py-6">
        <Outlet />
      </main>
      <footer className="mx-auto flex max-w-6xl justify-end px-4 pb-6 print:hidden">
        <LanguageChoice />
      </footer>
    </>
  );
}

/** Signing in with a key is not for frames. */
function WayBack({ to }: { to: string | null }) {
  if (to === null && window.top !== window) return null;
  return (
    <a href={to ?? '/console/'} target="_top" rel="noreferrer" className={linkLook}>
      {to === null ? words.signIn.withKey : words.back}
    </a>
  );
}

function Head({ session, signOut }: { session: PortalSession; signOut: () => void }) {
  const bar = useEntryInView(useLocation().pathname);
  const { organization_name: name, theme, return_url: returnUrl } = session;
  return (
    <header className="border-line border-b bg-card print:hidden">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-5 gap-y-1 px-4 pt-2.5 pb-1 sm:pb-2.5">
        <div className="flex min-w-0 max-w-[calc(100%-8rem)] items-center gap-2.5 sm:max-w-60">
          <img src={theme.logo_url ?? mark} alt="" className="h-8 max-w-32 object-contain" />
          <span className="truncate font-semibold">{name}</span>
        </div>
        <nav
          ref={bar}
          aria-label={words.title}
          className="-mx-2 order-last flex w-full gap-1 overflow-x-auto sm:order-none sm:mx-0 sm:w-auto"
        >
          {pagesOf(session).map(([, to, label]) => (
            <Link
              key={to}
              to={to}
              className="rounded-md px-2 py-1.5 whitespace-nowrap hover:bg-hover sm:px-2.5"
              inactiveProps={{ className: 'text-soft' }}
              activeProps={{ className: 'bg-hover font-medium text-accent' }}
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-3">
          {returnUrl && (
            <a href={returnUrl} target="_top" rel="noreferrer" className="whitespace-nowrap underline">
              {words.back}
            </a>
          )}
          <Button onClick={signOut}>{words.signOut}</Button>
        </div>
      </div>
    </header>
  );
}

/** The first page that the session may show. */
export function Landing() {
  const { data } = useSession();
  const [first] = data ? pagesOf(data) : [];
  if (first === undefined) return <Empty isPage title={words.nothing} hint={words.nothingHint} />;
  return <Navigate to={first[1]} replace />;
}
