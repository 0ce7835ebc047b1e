import { useQuery, useQueryClient } from '@tanstack/react-query';
import { change, read, type Schemas } from '../api.ts';
import { text } from '../strings.ts';
import { Confirmed } from '../ui/dialog.tsx';
import { Heading } from '../ui/heading.tsx';
import { Problem, Skeleton } from '../ui/states.tsx';
import { Time } from '../ui/values.tsx';

export function Sessions() {
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: () => read<Schemas['OperatorSessionList']>('/sessions'),
  });
  const revoke = async (id: string) => {
    await change('DELETE', `/sessions/${id}`);
    await client.invalidateQueries();
  };
  return (
    <>
      <Heading title={text.sessions.title} className="mb-4" />
      <div className="rounded-lg border border-line bg-card">
        {isPending && <Skeleton rows={3} />}
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        <ul className="divide-y divide-line">
          {data?.data.map((one) => (
            <li key={one.id} className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
              <div className="min-w-0">
                <p className="font-medium">
                  {one.actor}{' '}
                  <span className="text-soft">{`${one.role} · ${text.sessions.by[one.method]}`}</span>
                  {one.is_current && <span className="ml-2 text-good text-xs">{text.sessions.current}</span>}
                </p>
                <p className="text-soft text-xs wrap-anywhere">
                  {`${text.sessions.from} ${one.address} · ${one.user_agent}`}
                </p>
                <p className="text-soft text-xs">
                  {`${text.sessions.until} `}
                  <Time at={one.expires_at} />
                </p>
              </div>
              <Confirmed
                label={text.sessions.revoke}
                question={
                  one.is_current ? text.sessions.revokeCurrent : text.sessions.revokeQuestion(one.actor)
                }
                tone="danger"
                act={() => revoke(one.id)}
              />
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
