import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import {
  actionFiltersOf,
  deliveryFiltersOf,
  endpointFiltersOf,
  filtersOf,
  moneySearchOf,
  organizationFiltersOf,
  overviewSearchOf,
  playgroundOf,
  reviewFiltersOf,
  textsOf,
} from './features/search/filters.ts';
import { lazyPage, routerOptions } from './router.tsx';
import { Shell } from './Shell.tsx';

const rootRoute = createRootRoute({ component: Shell });

const getParentRoute = () => rootRoute;

const routeTree = rootRoute.addChildren([
  createRoute({
    getParentRoute,
    path: '/',
    component: lazyPage(() => import('./pages/Overview.tsx'), 'Overview'),
    validateSearch: overviewSearchOf,
  }),
  createRoute({
    getParentRoute,
    path: '/executions',
    component: lazyPage(() => import('./pages/Executions.tsx'), 'Executions'),
    validateSearch: filtersOf,
  }),
  createRoute({
    getParentRoute,
    path: '/executions/$id',
    component: lazyPage(() => import('./pages/Execution.tsx'), 'Execution'),
  }),
  createRoute({
    getParentRoute,
    path: '/organizations',
    component: lazyPage(() => import('./pages/Organizations.tsx'), 'Organizations'),
    validateSearch: organizationFiltersOf,
  }),
  createRoute({
    getParentRoute,
    path: '/organizations/$id',
    component: lazyPage(() => import('./pages/Organization.tsx'), 'Organization'),
  }),
  createRoute({
    getParentRoute,
    path: '/batches',
    component: lazyPage(() => import('./pages/Batches.tsx'), 'Batches'),
    validateSearch: (search: Record<string, unknown>): { status?: string; organization?: string } =>
      textsOf(search, ['status', 'organization']),
  }),
  createRoute({
    getParentRoute,
    path: '/batches/$organization/$id',
    component: lazyPage(() => import('./pages/Batch.tsx'), 'Batch'),
  }),
  createRoute({
    getParentRoute,
    path: '/money',
    component: lazyPage(() => import('./pages/Money.tsx'), 'Money'),
    validateSearch: moneySearchOf,
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks',
    component: lazyPage(() => import('./pages/Webhooks.tsx'), 'Webhooks'),
    validateSearch: endpointFiltersOf,
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks/endpoints/$id',
    component: lazyPage(() => import('./pages/WebhookEndpoint.tsx'), 'WebhookEndpoint'),
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks/deliveries',
    component: lazyPage(() => import('./pages/WebhookDeliveries.tsx'), 'WebhookDeliveries'),
    validateSearch: deliveryFiltersOf,
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks/deliveries/$id',
    component: lazyPage(() => import('./pages/WebhookDelivery.tsx'), 'WebhookDelivery'),
  }),
  createRoute({
    getParentRoute,
    path: '/queues',
    component: lazyPage(() => import('./pages/Queues.tsx'), 'Queues'),
  }),
  createRoute({
    getParentRoute,
    path: '/reviews',
    component: lazyPage(() => import('./pages/Reviews.tsx'), 'Reviews'),
    validateSearch: reviewFiltersOf,
  }),
  createRoute({
    getParentRoute,
    path: '/audit',
    component: lazyPage(() => import('./pages/Audit.tsx'), 'Audit'),
  }),
  createRoute({
    getParentRoute,
    path: '/playground',
    component: lazyPage(() => import('./pages/Playground.tsx'), 'Playground'),
    validateSearch: playgroundOf,
  }),
  createRoute({
    getParentRoute,
    path: '/models',
    component: lazyPage(() => import('./pages/Models.tsx'), 'Models'),
  }),
  createRoute({
    getParentRoute,
    path: '/models/$slug',
    component: lazyPage(() => import('./pages/Model.tsx'), 'Model'),
  }),
  createRoute({
    getParentRoute,
    path: '/models/-/edit',
    component: lazyPage(() => import('./pages/ModelEditor.tsx'), 'ModelEditor'),
    validateSearch: (search: Record<string, unknown>): { model?: string } => textsOf(search, ['model']),
  }),
  createRoute({
    getParentRoute,
    path: '/actions',
    component: lazyPage(() => import('./pages/Actions.tsx'), 'Actions'),
    validateSearch: actionFiltersOf,
  }),
  createRoute({
    getParentRoute,
    path: '/sessions',
    component: lazyPage(() => import('./pages/Sessions.tsx'), 'Sessions'),
  }),
]);

export const router = createRouter({ routeTree, basepath: '/console', ...routerOptions });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
