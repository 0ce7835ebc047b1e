import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RequestError } from './api.ts';
import './styles.css';

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

/** Shows `pages` with the client of their requests. */
export function mount(pages: ReactNode): void {
  const root = document.getElementById('root');
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>{pages}</QueryClientProvider>
    </StrictMode>,
  );
}
