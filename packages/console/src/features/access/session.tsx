import { useQuery } from '@tanstack/react-query';
import { change, read, type Schemas } from '../../api.ts';
import { useEndSession } from './endSession.ts';
import { missingRole, type Role } from './roles.ts';

type Session = Schemas['CurrentSession'];

export function useSession() {
  return useQuery({ queryKey: ['session'], queryFn: () => read<Session>('/session'), staleTime: 60_000 });
}

/** Why the operator may not do something; null: they may. */
export function useMissingRole(needed: Role): string | null {
  const { data } = useSession();
  return missingRole(data?.role, needed);
}

export function useSignOut() {
  return useEndSession(
    () => change('DELETE', '/session'),
    () => window.location.assign('/console/'),
  );
}
