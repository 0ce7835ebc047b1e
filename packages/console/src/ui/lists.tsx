import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { text } from '../strings/shared.ts';
import { Button } from './button.tsx';
import { Problem, Skeleton } from './states.tsx';
import { Time } from './values.tsx';

type Paged = { next_cursor: string | null; searched_until?: string | null };
export type Pages<Page extends Paged> = UseInfiniteQueryResult<InfiniteData<Page>>;

/** Live lists are read again this often. */
const liveMs = 3000;

/**
 * The pages of a list, each read from where the one before it ends. A live list follows the newest, while its first page
 * is the only one.
 */
export function usePages<Page extends Paged>(
  key: readonly unknown[],
  readPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>,
  { isLive = false }: { isLive?: boolean } = {},
): Pages<Page> {
  return useInfiniteQuery({
    queryKey: key,
    // Other filters drop the request of those before.
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= 1,
    refetchInterval: ({ state }) => (isLive && (state.data?.pages.length ?? 0) <= 1 ? liveMs : false),
  });
}

/** With what each list was last filtered. */
const lastFilters = new Map<string, Record<string, string>>();

/** Keeps the filters of the list at `path` for the links that lead back to it. */
export function useKeptFilters(path: string, filters: Record<string, string>): void {
  useEffect(() => {
    lastFilters.set(path, filters);
  }, [path, filters]);
}

export const keptFilters = (path: string): Record<string, string> => lastFilters.get(path) ?? {};

/** A page of a search may be empty although older rows match: this number is read before someone has to ask for more. */
const maxEmptyPages = 10;

/** Whether more pages are read without being asked for. */
const goesOn = ({ data, hasNextPage, isError }: Pages<Paged & { data: unknown[] }>) =>
  data !== undefined &&
  data.pages.every((page) => page.data.length === 0) &&
  hasNextPage &&
  data.pages.length < maxEmptyPages &&
  !isError;

/** Whether the rows are those of the filters, and not of the filters before. */
export const isFound = <Page extends Paged & { data: unknown[] }>(pages: Pages<Page>) =>
  pages.isSuccess && !pages.isPlaceholderData && !goesOn(pages);

/** A list in each of its states; `empty` says what to do first. */
export function List<Page extends Paged & { data: unknown[] }>(props: {
  pages: Pages<Page>;
  empty: ReactNode;
  children: (rows: Page['data'][number][]) => ReactNode;
}) {
  const { pages, empty, children } = props;
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData: isOfFilterBefore } = pages;
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  const isEmpty = data !== undefined && rows.length === 0 && !isOfFilterBefore;
  const isSearching = isEmpty && hasNextPage;
  const readsOn = !isOfFilterBefore && goesOn(pages);
  useEffect(() => {
    if (readsOn && !isFetchingNextPage) void fetchNextPage();
  }, [readsOn, isFetchingNextPage, fetchNextPage]);
  return (
    <>
      {rows.length === 0 && (pages.isPending || isOfFilterBefore) && <Skeleton rows={8} />}
      {pages.isError && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
      {isSearching && <Searching pages={pages} />}
      {isEmpty && !hasNextPage && empty}
      {rows.length > 0 && (
        <div aria-busy={isOfFilterBefore} className={isOfFilterBefore ? 'opacity-75' : ''}>
          {children(rows)}
        </div>
      )}
    </>
  );
}

function Searching<Page extends Paged>({ pages }: { pages: Pages<Page> }) {
  const { data, isFetchingNextPage, fetchNextPage } = pages;
  const until = data?.pages.at(-1)?.searched_until;
  return (
    <div role="status" className="px-4 py-10 text-center">
      <p className="font-semibold">{isFetchingNextPage ? text.list.searching : text.list.noneSoFar}</p>
      {until && (
        <p className="mt-1 text-soft">
          {`${text.list.searchedUntil} `}
          <Time at={until} />
        </p>
      )}
      {!isFetchingNextPage && (
        <div className="mt-3">
          <Button onClick={() => void fetchNextPage()}>{text.list.goOn}</Button>
        </div>
      )}
    </div>
  );
}

/** What follows a list: its keys, and a button for older rows. */
export function More<Page extends Paged & { data: unknown[] }>({
  pages,
  keys,
}: {
  pages: Pages<Page>;
  keys?: string | undefined;
}) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const isEmpty = data?.pages.every((page) => page.data.length === 0) ?? true;
  if (isEmpty || !(hasNextPage || keys)) return null;
  return (
    <div className="mt-3 flex items-center justify-between gap-3">
      {hasNextPage && (
        // Disabled meanwhile, it would lose the focus.
        <Button onClick={() => void (isFetchingNextPage || fetchNextPage())}>
          {isFetchingNextPage ? text.list.searching : text.list.more}
        </Button>
      )}
      {keys && <span className="hidden text-soft text-xs sm:inline">{keys}</span>}
    </div>
  );
}

export function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
}

const isSearch = ({ target }: KeyboardEvent) =>
  target instanceof HTMLInputElement && target.type === 'search';

/** `j` and `k` move between the links with `data-row`, `/` goes to the search field and the arrow down leaves it. */
export function useListKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const isLeaving = event.key === 'ArrowDown' && isSearch(event);
      if ((isTyping(event) && !isLeaving) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]')) return;
      if (event.key === '/') {
        const search = document.querySelector<HTMLElement>('main input[type=search]');
        if (search) event.preventDefault();
        search?.focus();
      }
      const step = isLeaving ? 1 : { j: 1, k: -1 }[event.key];
      if (step === undefined) return;
      const links = [...document.querySelectorAll<HTMLElement>('main a[data-row]')];
      const at = links.indexOf(document.activeElement as HTMLElement);
      links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
