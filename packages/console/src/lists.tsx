import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { read } from './api.ts';
import { Button, liveMs, Problem, Skeleton } from './parts.tsx';
import { text } from './strings.ts';

type Paged = { next_cursor: string | null };
export type Pages<Page extends Paged> = UseInfiniteQueryResult<InfiniteData<Page>>;

/** The pages of a list, each read from where the one before it ends. */
export function usePages<Page extends Paged>(
  key: readonly unknown[],
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): Pages<Page> {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read<Page>(path, { ...query, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

/** As `usePages`, of a search whose newest page is read again while it is the only one: older ones do not change. */
export function useLivePages<Page extends Paged & { data: unknown[] }>(
  key: readonly unknown[],
  readPage: (cursor: string | undefined) => Promise<Page>,
): { pages: Pages<Page>; rows: Page['data'][number][]; isSearching: boolean } {
  const pages = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => readPage(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? liveMs : false),
  });
  const rows = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  // A page of a search may be empty although older rows match.
  const isSearching = rows.length === 0 && hasNextPage;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  return { pages, rows, isSearching };
}

/** A list in each of its states; `empty` says what to do first. */
export function List<Page extends Paged & { data: unknown[] }>(props: {
  pages: Pages<Page>;
  empty: ReactNode;
  children: (rows: Page['data'][number][]) => ReactNode;
}) {
  const { pages, empty, children } = props;
  const rows = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      {pages.isPending && <Skeleton />}
      {pages.isError && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
      {pages.data && rows.length === 0 && empty}
      {rows.length > 0 && children(rows)}
    </>
  );
}

export function More<Page extends Paged>({ pages }: { pages: Pages<Page> }) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  if (!hasNextPage) return null;
  return (
    <div className="mt-3">
      <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {isFetchingNextPage ? text.list.searching : text.list.more}
      </Button>
    </div>
  );
}

export function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
}

/** `j` and `k` move between the links with `data-row`, `/` goes to the search field. */
export function useListKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]')) return;
      if (event.key === '/') {
        const search = document.querySelector<HTMLElement>('main input[type=search]');
        if (search) event.preventDefault();
        search?.focus();
      }
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined) return;
      const links = [...document.querySelectorAll<HTMLElement>('main a[data-row]')];
      const at = links.indexOf(document.activeElement as HTMLElement);
      links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
