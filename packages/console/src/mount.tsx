import {
  notifyManager,
  type Query,
  QueryCache,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query';
import { type ReactNode, StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { isSignedOut, LostError, RequestError } from './api.ts';
import { text } from './strings/shared.ts';
import './styles.css';

const isClientError = (error: Error) => error instanceof RequestError && error.status < 500;

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Until the server is back, however long that takes; what was read stays on the page meanwhile.
      retry: (count, error) => error instanceof LostError || (!isClientError(error) && count < 8),
      retryDelay: (count) => Math.min(1000 * 2 ** count, 5000),
      // The server may be on this machine, which browsers reach offline too.
      networkMode: 'always',
      staleTime: 1000,
    },
  },
  queryCache: new QueryCache({
    onError(error, query) {
      if (isSignedOut(error) && query.queryKey[0] !== 'session')
        void client.invalidateQueries({ queryKey: ['session'] });
    },
  }),
});

const isRetried = ({ state }: Query) => state.fetchStatus !== 'idle' && state.fetchFailureCount > 0;
const onAnyChange = (listen: () => void) =>
  client.getQueryCache().subscribe(notifyManager.batchCalls(listen));
const failureOfReads = () =>
  client.getQueryCache().getAll().find(isRetried)?.state.fetchFailureReason ?? null;

/** Shown from the first failure of a read until it succeeds. */
function Outage() {
  const error = useSyncExternalStore(onAnyChange, failureOfReads);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-3 z-10 flex justify-center px-4">
      {error && (
        <p className="rounded-md border border-line bg-card px-3 py-1.5 text-center text-busy text-xs shadow-lg sm:text-sm">
          {`${error.message} ${text.retrying}`}
        </p>
      )}
    </div>
  );
}

/** Shows `pages` with the client of their requests. */
export function mount(pages: ReactNode): void {
  const root = document.getElementById('root');
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        {pages}
        <Outage />
      </QueryClientProvider>
    </StrictMode>,
  );
}
