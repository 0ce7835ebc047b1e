import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RequestError } from '../api.ts';
import '../styles.css';
import { router } from './routes.tsx';

const isClientError = (error: Error) => error instanceof RequestError && error.status < 500;

const client = new QueryClient({
  defaultOptions: {
    queries: {
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
