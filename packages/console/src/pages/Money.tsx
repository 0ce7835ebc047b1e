import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { readCsv, type Schemas } from '../api.ts';
import { OverTime, periodFrom, useMoney } from '../features/money/overTime.tsx';
import { OrganizationField } from '../features/organizations/organizations.tsx';
import {
  type Filters,
  fieldTime,
  type MoneyRange,
  type MoneySearch,
  moneyGroupings,
  moneyQuery,
  moneyRanges,
  timesOf,
} from '../features/search/filters.ts';
import { text } from '../strings.ts';
import { share, subtract } from '../ui/amounts.ts';
import { linkLook } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { largest, Meter } from '../ui/charts.tsx';
import { CsvButton } from '../ui/csvButton.tsx';
import { Choice, changed, FilterBar, Typed } from '../ui/filterBar.tsx';
import { percent } from '../ui/format.ts';
import { Heading } from '../ui/heading.tsx';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Money as Amount, Facts } from '../ui/values.tsx';

type Whole = Schemas['Money'];
type Row = Schemas['MoneyRow'];
type Total = Schemas['MoneyTotal'];

/** Revenue, cost and margin of a period, by what the operator chooses; a click narrows it down. */
export function Money() {
  const search = useSearch({ from: '/money' });
  const navigate = useNavigate({ from: '/money' });
  const go = (change: MoneySearch) => void navigate({ search: changed<MoneySearch>(search, change) });
  const { data, error, refetch } = useMoney(search);
  const isFiltered = ['model', 'provider', 'organization'].some((name) => name in search);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <div>
          <Heading title={text.nav.money} />
          <p className="mt-1 max-w-3xl text-soft">{text.money.about}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Link to="/organizations" search={{ sort: 'spend' }} className={linkLook}>
            {text.money.whoSpends}
          </Link>
          <Link to="/organizations" search={{ low: 'yes', sort: 'balance' }} className={linkLook}>
            {text.money.whoRunsLow}
          </Link>
        </div>
      </div>
      <FilterBar
        columns="sm:grid-cols-3 xl:grid-cols-6"
        isFiltered={isFiltered}
        onClear={() => go({ model: '', provider: '', organization: '' })}
      >
        <Choice
          label={text.money.range}
          value={search.range ?? '24h'}
          of={moneyRanges}
          names={text.money.ranges}
          onChange={(range) => go(rangeOf(range, data))}
        />
        <Choice
          label={text.money.by}
          value={search.by ?? 'model'}
          of={moneyGroupings}
          names={text.money.groups}
          onChange={(by) => go({ by })}
        />
        {search.range === 'custom' && <Period search={search} onChange={go} />}
        <Typed label={text.list.model} value={search.model} onChange={(model) => go({ model })} />
        <Typed label={text.list.provider} value={search.provider} onChange={(provider) => go({ provider })} />
        <OrganizationField value={search.organization} onChange={(organization) => go({ organization })} />
      </FilterBar>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={12} />}
      {data && <Details of={data} search={search} onGo={go} />}
    </>
  );
}

/** A custom period begins as the one that was shown. */
function rangeOf(range: MoneyRange, data: Whole | undefined): MoneySearch {
  return { range, ...(range === 'custom' && data ? periodOf(data) : { from: '', to: '' }) };
}

const periodOf = ({ from, to }: Whole) => ({ from: fieldTime(from), to: fieldTime(to) });

function Period({ search, onChange }: { search: MoneySearch; onChange: (change: MoneySearch) => void }) {
  const { wrong } = timesOf(search);
  const problem = wrong.length > 0 ? text.list.notATime(wrong.join(', ')) : undefined;
  return (
    <>
      <Typed
        label={text.money.from}
        type="datetime-local"
        value={search.from}
        problem={problem}
        onChange={(from) => onChange({ from })}
      />
      <Typed
        label={text.money.to}
        type="datetime-local"
        value={search.to}
        problem={problem}
        onChange={(to) => onChange({ to })}
      />
    </>
  );
}

type Shown = { of: Whole; search: MoneySearch; onGo: (change: MoneySearch) => void };

function Details({ of, search, onGo }: Shown) {
  const unknown = subtract(of.total.revenue, of.total.known_revenue);
  if (of.data.length === 0) return <Empty title={text.money.none} hint={text.money.noneHint} />;
  return (
    <div className="space-y-4">
      <Card title={text.money.total}>
        <Facts of={factsOf(of.total)} />
        {unknown !== '0.00' && <p className="mt-3 text-soft text-xs">{text.money.unknownPart(unknown)}</p>}
      </Card>
      <OverTime
        title={text.money.overTime}
        search={search}
        onPick={(period) => onGo({ range: 'custom', ...period })}
      />
      <Card title={text.money.groups[of.group_by]} aside={<Csv search={search} of={of} />}>
        <Rows of={of} search={search} onGo={onGo} />
      </Card>
    </div>
  );
}

const marginShare = ({ margin, known_revenue: revenue }: Total) =>
  Number(revenue) === 0 ? '–' : percent(share(margin, revenue));

const factsOf = (total: Total) =>
  [
    [text.money.revenue, <Amount key="revenue" of={total.revenue} />],
    [text.money.cost, <Amount key="cost" of={total.cost} />],
    [text.money.lost, <Amount key="lost" of={total.lost} />],
    [text.money.margin, <Amount key="margin" of={total.margin} />],
    [text.money.marginShare, marginShare(total)],
    [text.money.executions, total.executions.toLocaleString()],
  ] as const;

function Rows({ of, search, onGo }: Shown) {
  const max = largest(of.data.map(({ revenue }) => revenue));
  return (
    <Table
      caption={text.money.groups[of.group_by]}
      rows={of.data}
      keyOf={({ group }) => group ?? ''}
      columns={[
        {
          name: text.money.groups[of.group_by],
          of: (row) => (
            <div className="min-w-32 max-w-72">
              <Name of={row} by={of.group_by} unit={of.unit} onGo={onGo} />
              <Meter share={share(row.revenue, max)} />
            </div>
          ),
        },
        {
          name: text.money.executions,
          of: (row) => row.executions.toLocaleString(),
          order: (row) => row.executions,
        },
        amountColumn(text.money.revenue, (row) => row.revenue),
        amountColumn(text.money.cost, (row) => row.cost),
        {
          name: text.money.lost,
          of: (row) => <Lost of={row} whole={of} search={search} />,
          order: (row) => Number(row.lost),
        },
        amountColumn(text.money.margin, (row) => row.margin),
        {
          name: text.money.marginShare,
          of: marginShare,
          order: (row) => share(row.margin, row.known_revenue),
        },
      ]}
    />
  );
}

const amountColumn = (name: string, amountOf: (row: Row) => string) => ({
  name,
  of: (row: Row) => <Amount of={amountOf(row)} />,
  order: (row: Row) => Number(amountOf(row)),
});

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const hour = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A click shows this one alone, by what is asked next. */
function Name({
  of,
  by,
  unit,
  onGo,
}: {
  of: Row;
  by: Whole['group_by'];
  unit: Whole['unit'];
  onGo: Shown['onGo'];
}) {
  const { group, name } = of;
  if (group === null) return <span className="text-soft">{text.money.unknown}</span>;
  const next = by === 'model' ? 'organization' : 'model';
  const narrowed = {
    ...(by === 'time' ? { range: 'custom' as const, ...periodFrom(group, unit) } : { [by]: group }),
    by: next,
  } as const;
  const shown = by === 'time' ? (unit === 'day' ? day : hour).format(new Date(group)) : (name ?? group);
  return (
    <button
      type="button"
      onClick={() => onGo(narrowed)}
      title={group}
      className="max-w-full truncate text-left underline decoration-soft"
    >
      {shown}
    </button>
  );
}

/** Leads to the executions that no client paid for. */
function Lost({ of, whole, search }: { of: Row; whole: Whole; search: MoneySearch }) {
  if (of.lost_runs === 0) return <Amount of={of.lost} />;
  const { range: _range, by: _by, ...filters } = search;
  const by = whole.group_by;
  const { from, to } = by === 'time' ? periodFrom(of.group ?? '', whole.unit) : periodOf(whole);
  const group = by === 'time' ? {} : { [by]: of.group ?? '' };
  const failed: Filters = { ...filters, ...group, from, to, status: 'FAILED,CANCELLED,EXPIRED' };
  return (
    <>
      <Amount of={of.lost} />
      <Link to="/executions" search={failed} className="block text-soft text-xs underline">
        {text.money.lostRuns(of.lost_runs)}
      </Link>
    </>
  );
}

function Csv({ search, of }: { search: MoneySearch; of: Whole }) {
  const name = `money_by_${of.group_by}_${of.from.slice(0, 10)}_${of.to.slice(0, 10)}.csv`;
  return <CsvButton name={name} read={() => readCsv('/money', moneyQuery(search, Date.now()))} />;
}
