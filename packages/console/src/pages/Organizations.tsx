import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read, type Schemas } from '../api.ts';
import { Button, Empty, Id, Problem, Skeleton, Time } from '../parts.tsx';
import { text } from '../strings.ts';

type Page = Schemas['OrganizationPage'];

export function Organizations() {
  const pages = useInfiniteQuery({
    queryKey: ['organizations'],
    queryFn: ({ pageParam }) => read<Page>('/organizations', { cursor: pageParam, limit: 100 }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const rows = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      <h1 className="mb-4 font-semibold text-xl">{text.nav.organizations}</h1>
      <div className="rounded-lg border border-line bg-card">
        {pages.isPending && <Skeleton />}
        {pages.isError && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
        {pages.data && rows.length === 0 && (
          <Empty title={text.organizations.empty} hint={text.organizations.emptyHint} />
        )}
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <li
              key={row.id}
              className="flex flex-wrap items-center justify-between gap-2 px-4 py-3 hover:bg-hover"
            >
              <Link to="/organizations/$id" params={{ id: row.id }} className="min-w-0 rounded">
                <span className="block font-medium">
                  {row.name}
                  {row.test_of && <span className="ml-2 text-busy text-xs">{text.organizations.test}</span>}
                </span>
                <Id of={row.id} />
              </Link>
              <span className="text-soft">
                <Time at={row.created_at} />
              </span>
            </li>
          ))}
        </ul>
      </div>
      {pages.hasNextPage && (
        <div className="mt-3">
          <Button onClick={() => void pages.fetchNextPage()}>{text.list.more}</Button>
        </div>
      )}
    </>
  );
}
