import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { type Filters, textsOf } from '../features/search/filters.ts';
import { lazyPage, routerOptions } from '../router.tsx';
import { home } from './api.ts';
import { Landing, Shell } from './Shell.tsx';
import { usageSearchOf } from './usagePeriod.ts';

/** `metadata`: a member and its value, as in `order=A-17`. */
type ExecutionFilters = Pick<Filters, 'status' | 'model' | 'from' | 'to'> & { metadata?: string };

const rootRoute = createRootRoute({ component: Shell });

const getParentRoute = () => rootRoute;

const routeTree = rootRoute.addChildren([
  createRoute({ getParentRoute, path: '/', component: Landing }),
  createRoute({
    getParentRoute,
    path: '/executions',
    component: lazyPage(() => import('./pages/Executions.tsx'), 'Executions'),
    validateSearch: (search: Record<string, unknown>): ExecutionFilters =>
      textsOf(search, ['status', 'model', 'metadata', 'from', 'to']),
  }),
  createRoute({
    getParentRoute,
    path: '/executions/$id',
    component: lazyPage(() => import('./pages/Execution.tsx'), 'Execution'),
  }),
  createRoute({
    getParentRoute,
    path: '/batches',
    component: lazyPage(() => import('./pages/Batches.tsx'), 'Batches'),
    validateSearch: (search: Record<string, unknown>): { status?: string } => textsOf(search, ['status']),
  }),
  createRoute({
    getParentRoute,
    path: '/batches/$id',
    component: lazyPage(() => import('./pages/Batch.tsx'), 'Batch'),
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks',
    component: lazyPage(() => import('./pages/Webhooks.tsx'), 'Webhooks'),
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks/events',
    component: lazyPage(() => import('./pages/Events.tsx'), 'Events'),
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks/$id',
    component: lazyPage(() => import('./pages/Endpoint.tsx'), 'Endpoint'),
  }),
  createRoute({
    getParentRoute,
    path: '/keys',
    component: lazyPage(() => import('./pages/Keys.tsx'), 'Keys'),
  }),
  createRoute({
    getParentRoute,
    path: '/usage',
    component: lazyPage(() => import('./pages/Usage.tsx'), 'Usage'),
    validateSearch: usageSearchOf,
  }),
  createRoute({
    getParentRoute,
    path: '/usage/statement',
    component: lazyPage(() => import('./pages/Statement.tsx'), 'Statement'),
    validateSearch: ({ month }: Record<string, unknown>): { month?: string } =>
      typeof month === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(month) ? { month } : {},
  }),
]);

export const router = createRouter({ routeTree, basepath: home, ...routerOptions });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
