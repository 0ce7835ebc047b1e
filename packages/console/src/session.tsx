import { useQuery, useQueryClient } from '@tanstack/react-query';
import { change, read, type Schemas } from './api.ts';
import { text } from './strings.ts';

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

export function useSignOut(): () => void {
  const client = useQueryClient();
  return () => {
    void change('DELETE', '/session').finally(() => {
      client.clear();
      window.location.assign('/console/');
    });
  };
}
