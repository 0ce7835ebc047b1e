import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RequestError } from './api.ts';
import { Actions } from './pages/Actions.tsx';
import { Execution } from './pages/Execution.tsx';
import { Executions, type Filters } from './pages/Executions.tsx';
import { Organization } from './pages/Organization.tsx';
import { Organizations } from './pages/Organizations.tsx';
import { Sessions } from './pages/Sessions.tsx';
import { SignIn } from './pages/SignIn.tsx';
import { Button, Empty, Problem, Skeleton } from './parts.tsx';
import { useSession, useSignOut } from './session.tsx';
import { text } from './strings.ts';
import './styles.css';

function Shell() {
  const session = useSession();
  const signOut = useSignOut();
  if (session.isPending) return <Skeleton />;
  if (session.error instanceof RequestError && session.error.status === 401) return <SignIn />;
  if (!session.data) return <Problem error={session.error} onRetry={() => void session.refetch()} />;
  const look = 'rounded-md px-2.5 py-1.5 text-soft hover:bg-hover';
  const active = { className: 'bg-hover font-medium text-ink' };
  return (
    <>
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:bg-card focus:p-3">
        {text.skip}
      </a>
      <header className="border-line border-b bg-card">
        <div className="mx-auto flex max-w-7xl flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
          <span className="font-semibold text-accent">{text.product}</span>
          <nav
            aria-label={text.console}
            className="-mx-2 order-last flex w-full gap-1 overflow-x-auto sm:order-none sm:mx-0 sm:w-auto"
          >
            <Link
              to="/"
              className={look}
              activeProps={active}
              activeOptions={{ exact: true, includeSearch: false }}
            >
              {text.nav.executions}
            </Link>
            <Link to="/organizations" className={look} activeProps={active}>
              {text.nav.organizations}
            </Link>
            <Link to="/actions" className={look} activeProps={active}>
              {text.nav.actions}
            </Link>
            <Link to="/sessions" className={look} activeProps={active}>
              {text.nav.sessions}
            </Link>
          </nav>
          <span className="ml-auto text-soft">
            {session.data.actor} <span className="text-xs">({session.data.role})</span>
          </span>
          <Button onClick={signOut}>{text.signOut}</Button>
        </div>
      </header>
      {session.isError && <Problem error={session.error} />}
      <main id="content" className="mx-auto max-w-7xl px-4 py-6">
        <Outlet />
      </main>
    </>
  );
}

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: () => <Empty title={text.notFound} />,
});

const names = ['q', 'status', 'model', 'provider', 'organization', 'error', 'from', 'to'] as const;

function filtersOf(search: Record<string, unknown>): Filters {
  const given = names.filter((name) => typeof search[name] === 'string' && search[name] !== '');
  return Object.fromEntries(given.map((name) => [name, search[name]]));
}

const routeTree = rootRoute.addChildren([
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    component: Executions,
    validateSearch: filtersOf,
  }),
  createRoute({ getParentRoute: () => rootRoute, path: '/executions/$id', component: Execution }),
  createRoute({ getParentRoute: () => rootRoute, path: '/organizations', component: Organizations }),
  createRoute({ getParentRoute: () => rootRoute, path: '/organizations/$id', component: Organization }),
  createRoute({ getParentRoute: () => rootRoute, path: '/actions', component: Actions }),
  createRoute({ getParentRoute: () => rootRoute, path: '/sessions', component: Sessions }),
]);

const router = createRouter({ routeTree, basepath: '/console', scrollRestoration: true });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

const isClientError = (error: Error) => error instanceof RequestError && error.status < 500;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // A gateway that restarts is back in seconds; what was read stays on the page meanwhile.
      retry: (count, error) => !isClientError(error) && count < 8,
      retryDelay: (count) => Math.min(1000 * 2 ** count, 5000),
      staleTime: 1000,
    },
  },
  queryCache: new QueryCache({
    onError(error, query) {
      const isOver = error instanceof RequestError && error.status === 401 && query.queryKey[0] !== 'session';
      if (isOver) void client.invalidateQueries({ queryKey: ['session'] });
    },
  }),
});

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
