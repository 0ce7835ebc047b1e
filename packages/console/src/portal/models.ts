import { useQuery } from '@tanstack/react-query';
import { read, type Schemas } from './api.ts';

/** The models that the key of the session may run. */
export function useModels() {
  return useQuery({
    queryKey: ['models'],
    queryFn: () => read<Schemas['ModelList']>('/models'),
    staleTime: 60_000,
  });
}
