import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import {
  deliveryFiltersOf,
  endpointFiltersOf,
  filtersOf,
  organizationFiltersOf,
  playgroundOf,
} from './pages/filters.ts';
import { Empty } from './parts.tsx';
import { Shell } from './Shell.tsx';
import { text } from './strings.ts';

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: () => <Empty isPage title={text.notFound} hint={text.notFoundHint} />,
});

const getParentRoute = () => rootRoute;

const routeTree = rootRoute.addChildren([
  createRoute({
    getParentRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./pages/Overview.tsx'), 'Overview'),
  }),
  createRoute({
    getParentRoute,
    path: '/executions',
    component: lazyRouteComponent(() => import('./pages/Executions.tsx'), 'Executions'),
    validateSearch: filtersOf,
  }),
  createRoute({
    getParentRoute,
    path: '/executions/$id',
    component: lazyRouteComponent(() => import('./pages/Execution.tsx'), 'Execution'),
  }),
  createRoute({
    getParentRoute,
    path: '/organizations',
    component: lazyRouteComponent(() => import('./pages/Organizations.tsx'), 'Organizations'),
    validateSearch: organizationFiltersOf,
  }),
  createRoute({
    getParentRoute,
    path: '/organizations/$id',
    component: lazyRouteComponent(() => import('./pages/Organization.tsx'), 'Organization'),
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./pages/Webhooks.tsx'), 'Webhooks'),
    validateSearch: endpointFiltersOf,
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks/endpoints/$id',
    component: lazyRouteComponent(() => import('./pages/WebhookEndpoint.tsx'), 'WebhookEndpoint'),
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks/deliveries',
    component: lazyRouteComponent(() => import('./pages/WebhookDeliveries.tsx'), 'WebhookDeliveries'),
    validateSearch: deliveryFiltersOf,
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks/deliveries/$id',
    component: lazyRouteComponent(() => import('./pages/WebhookDelivery.tsx'), 'WebhookDelivery'),
  }),
  createRoute({
    getParentRoute,
    path: '/queues',
    component: lazyRouteComponent(() => import('./pages/Queues.tsx'), 'Queues'),
  }),
  createRoute({
    getParentRoute,
    path: '/audit',
    component: lazyRouteComponent(() => import('./pages/Audit.tsx'), 'Audit'),
  }),
  createRoute({
    getParentRoute,
    path: '/playground',
    component: lazyRouteComponent(() => import('./pages/Playground.tsx'), 'Playground'),
    validateSearch: playgroundOf,
  }),
  createRoute({
    getParentRoute,
    path: '/models',
    component: lazyRouteComponent(() => import('./pages/Models.tsx'), 'Models'),
  }),
  createRoute({
    getParentRoute,
    path: '/models/$slug',
    component: lazyRouteComponent(() => import('./pages/Model.tsx'), 'Model'),
  }),
  createRoute({
    getParentRoute,
    path: '/actions',
    component: lazyRouteComponent(() => import('./pages/Actions.tsx'), 'Actions'),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions',
    component: lazyRouteComponent(() => import('./pages/Sessions.tsx'), 'Sessions'),
  }),
]);

export const router = createRouter({ routeTree, basepath: '/console', scrollRestoration: true });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
