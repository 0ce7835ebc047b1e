import { useQuery } from '@tanstack/react-query';
import { change, read, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { useEndSession } from './endSession.ts';

type Session = Schemas['CurrentSession'];
type Role = Session['role'];

export function useSession() {
  return useQuery({ queryKey: ['session'], queryFn: () => read<Session>('/session'), staleTime: 60_000 });
}

const order: readonly Role[] = ['viewer', 'support', 'admin'];

/** Why the operator may not do something; null: they may. The API decides: this only explains. */
export function useRefusal(needed: Role): string | null {
  const { data } = useSession();
  return data && order.indexOf(data.role) >= order.indexOf(needed) ? null : text.needsRole(needed);
}

export function useSignOut() {
  return useEndSession(
    () => change('DELETE', '/session'),
    () => window.location.assign('/console/'),
  );
}
