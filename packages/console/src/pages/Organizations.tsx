import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { read, type Schemas } from '../api.ts';
import { NewOrganization } from '../features/organizations/newOrganization.tsx';
import { type OrganizationFilters } from '../features/search/filters.ts';
import { Search } from '../features/search/searchField.tsx';
import { text } from '../strings.ts';
import { Sparkline } from '../ui/charts.tsx';
import { Choice, changed, FilterBar } from '../ui/filterBar.tsx';
import { Heading } from '../ui/heading.tsx';
import { idColumn } from '../ui/listColumns.tsx';
import { isFound, useKeptFilters, useListKeys, usePages } from '../ui/lists.tsx';
import { type ListColumn, TableList } from '../ui/listTable.tsx';
import { Empty } from '../ui/states.tsx';
import { Ago, Money } from '../ui/values.tsx';

type Organization = Schemas['ListedOrganization'];

const organizationSorts = ['newest', 'name', 'balance', 'spend'] as const;

export function Organizations() {
  const filters = useSearch({ from: '/organizations' });
  const navigate = useNavigate();
  const { q, sort, low } = filters;
  const query = { limit: 100, text: q, sort, runs_low: low && 'true', include: 'balance,spend' };
  const readPage = (cursor: string | undefined, signal?: AbortSignal) =>
    read<Schemas['OrganizationPage']>('/organizations', { ...query, cursor }, signal);
  const pages = usePages(['organizations', filters], readPage);
  useListKeys();
  useKeptFilters('/organizations', filters);
  const go = (change: OrganizationFilters) =>
    void navigate({ to: '/organizations', search: changed(filters, change) });
  const empty =
    q || low ? (
      <Empty title={text.organizations.noMatch} hint={text.organizations.noMatchHint} />
    ) : (
      <Empty title={text.organizations.empty} hint={text.organizations.emptyHint} />
    );
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <Heading title={text.nav.organizations} />
        <NewOrganization />
      </div>
      <FilterBar
        columns="lg:grid-cols-[2fr_1fr_1fr_auto]"
        isFiltered={Boolean(q || low)}
        onClear={() => void navigate({ to: '/organizations', search: {} })}
      >
        <Search
          placeholder={text.organizations.search}
          value={q}
          isFound={isFound(pages)}
          onChange={(typed) =>
            void navigate({
              to: '/organizations',
              search: changed(filters, { q: typed }),
              replace: Boolean(q),
            })
          }
        />
        <Choice
          label={text.organizations.sort}
          value={organizationSorts.find((one) => one === sort) ?? 'newest'}
          of={organizationSorts}
          names={text.organizations.sorts}
          onChange={(chosen) => go({ sort: chosen })}
        />
        <Choice
          label={text.organizations.which}
          value={low ? 'low' : 'all'}
          of={['all', 'low']}
          names={{ all: text.organizations.every, low: text.organizations.runsLow }}
          onChange={(chosen) => go({ low: chosen === 'low' ? 'yes' : '' })}
        />
      </FilterBar>
      <TableList
        name="organizations"
        caption={text.nav.organizations}
        {...{ columns, pages, readPage, empty }}
        keys={text.list.keys}
      />
    </>
  );
}

const columns: readonly ListColumn<Organization>[] = [
  {
    name: text.organizations.name,
    of: ({ id, name, test_of: testOf, runs_low: runsLow, balance }) => (
      <Link data-row to="/organizations/$id" params={{ id }} className="block truncate rounded font-medium">
        <span>{name}</span>
        {testOf && <span className="ml-2 text-busy text-xs">{text.organizations.test}</span>}
        {runsLow && (
          <span className="ml-2 text-bad text-xs" title={text.organizations.runsLowAbout}>
            {text.organizations.runsLow}
          </span>
        )}
        <span className="block font-normal sm:hidden">
          <Money of={balance?.available} />
        </span>
      </Link>
    ),
    csv: ({ name }) => name,
  },
  idColumn('xl'),
  {
    name: text.organizations.available,
    of: ({ balance }) => <Money of={balance?.available} />,
    csv: ({ balance }) => balance?.available,
    order: ({ balance }) => Number(balance?.available),
    from: 'sm',
    width: 'w-40',
    isNumber: true,
  },
  {
    name: text.organizations.spend,
    of: ({ spend }) => <Money of={spend?.last_30_days} />,
    csv: ({ spend }) => spend?.last_30_days,
    order: ({ spend }) => Number(spend?.last_30_days),
    width: 'w-32 sm:w-40',
    isNumber: true,
  },
  {
    name: text.organizations.days,
    of: ({ spend }) => <Sparkline amounts={spend?.days ?? []} />,
    from: 'lg',
    width: 'w-32',
  },
  {
    name: text.organizations.created,
    of: ({ created_at: at }) => <Ago at={at} />,
    csv: ({ created_at: at }) => at,
    from: 'md',
    width: 'w-28',
    isNumber: true,
  },
];
