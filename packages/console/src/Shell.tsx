import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isSignedOut } from './api.ts';
import { useLinks } from './features/access/arrival.ts';
import { useSession, useSignOut } from './features/access/session.tsx';
import { dropDraftsOfOtherSessions } from './features/models/drafts.ts';
import { Shortcuts } from './features/search/shortcuts.tsx';
import { SignIn } from './pages/SignIn.tsx';
import { text } from './strings.ts';
import { Brand } from './ui/brand.tsx';
import { Button } from './ui/button.tsx';
import { Environment, EnvironmentName } from './ui/environment.tsx';
import { useEntryInView } from './ui/navigation.ts';
import { Problem, Skeleton } from './ui/states.tsx';

/** The pages of the navigation, in groups. */
const groups = [
  [
    ['/', text.nav.overview],
    ['/playground', text.nav.playground],
    ['/executions', text.nav.executions],
    ['/batches', text.nav.batches],
    ['/organizations', text.nav.organizations],
    ['/money', text.nav.money],
    ['/models', text.nav.models],
    ['/webhooks', text.nav.webhooks],
  ],
  [
    ['/queues', text.nav.queues],
    ['/audit', text.nav.audit],
  ],
  [
    ['/actions', text.nav.actions],
    ['/sessions', text.nav.sessions],
  ],
] as const;

export function Shell() {
  const session = useSession();
  const { signOut, error } = useSignOut();
  const links = useLinks();
  const [usedLinks, setUsedLinks] = useState(links);
  const sessionId = isSignedOut(session.error) ? null : session.data?.id;
  useEffect(() => {
    if (sessionId !== undefined) dropDraftsOfOtherSessions(sessionId, sessionStorage);
  }, [sessionId]);
  // A link signs in anew, perhaps as someone else, also while a session is open.
  if (isSignedOut(session.error) || links > usedLinks)
    return <SignIn links={links} onArrived={setUsedLinks} />;
  if (!session.data) {
    return (
      <main>
        <h1 className="sr-only">{text.product}</h1>
        {session.isPending && <Skeleton />}
        {session.error && <Problem error={session.error} onRetry={() => void session.refetch()} />}
      </main>
    );
  }
  return (
    <Environment value={session.data.environment}>
      <div className="lg:grid lg:min-h-dvh lg:grid-cols-[13rem_minmax(0,1fr)]">
        <a
          href="#content"
          className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:bg-card focus:p-3"
        >
          {text.skip}
        </a>
        <Side actor={session.data.actor} role={session.data.role} signOut={signOut} />
        <div className="min-w-0">
          {session.isError && <Problem error={session.error} />}
          {error !== null && <Problem error={error} onRetry={signOut} />}
          <main id="content" className="mx-auto max-w-7xl px-4 py-6 lg:px-8">
            {/* Nothing typed outlives its session, which may have been replaced in another tab. */}
            <Outlet key={sessionId} />
          </main>
        </div>
      </div>
    </Environment>
  );
}

function Side({ actor, role, signOut }: { actor: string; role: string; signOut: () => void }) {
  return (
    <header className="border-line border-b bg-card px-4 py-2 lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:border-r lg:border-b-0 lg:px-3 lg:py-4">
      <div className="flex items-center justify-between gap-3 lg:block lg:px-2.5">
        <div className="flex min-w-0 items-center gap-2.5 lg:block">
          <Brand />
          <EnvironmentName isWide />
        </div>
        <div className="flex gap-2 lg:block">
          <Shortcuts pages={groups.flat()} />
          <span className="lg:hidden">
            <Button onClick={signOut}>{text.signOut}</Button>
          </span>
        </div>
      </div>
      <Navigation />
      <div className="hidden min-w-0 space-y-2 px-2.5 lg:mt-auto lg:block">
        <p className="truncate">
          {actor} <span className="text-soft text-xs">({role})</span>
        </p>
        <Button onClick={signOut}>{text.signOut}</Button>
      </div>
    </header>
  );
}

function Navigation() {
  const bar = useEntryInView(useLocation().pathname);
  const look = 'block rounded-md px-2.5 py-1.5 whitespace-nowrap hover:bg-hover';
  return (
    <nav
      ref={bar}
      aria-label={text.console}
      className="-mx-2 mt-1 flex gap-1 overflow-x-auto lg:mx-0 lg:mt-5 lg:block lg:overflow-y-auto"
    >
      {groups.map((pages) => (
        <div key={pages[0][0]} className="flex gap-1 lg:mb-4 lg:block lg:space-y-0.5">
          {pages.map(([to, name]) => (
            <Link
              key={to}
              to={to}
              className={look}
              activeProps={{ className: 'bg-hover font-medium' }}
              inactiveProps={{ className: 'text-soft' }}
            >
              {name}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}
