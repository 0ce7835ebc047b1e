import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { change, RequestError, read, type Schemas } from '../api.ts';
import { useMissingRole } from '../features/access/session.tsx';
import { Keys } from '../features/keys/keys.tsx';
import { Adjustments } from '../features/money/adjustments.tsx';
import { Transactions } from '../features/money/money.tsx';
import { SpendLimit } from '../features/money/spendLimit.tsx';
import { Usage } from '../features/money/usage.tsx';
import { openStatuses } from '../features/search/filters.ts';
import { DeliveryRow } from '../features/webhooks/deliveries.tsx';
import { NewEndpoint } from '../features/webhooks/newEndpoint.tsx';
import { recoverLastDay, stateOf } from '../features/webhooks/webhooks.ts';
import { text } from '../strings.ts';
import { Button, linkLook } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { AmountBars } from '../ui/charts.tsx';
import { Confirmed } from '../ui/dialog.tsx';
import { Heading } from '../ui/heading.tsx';
import { liveMs } from '../ui/intervals.ts';
import { keptFilters, List, More, usePages } from '../ui/lists.tsx';
import { Empty, Problem, Skeleton, UntilRead } from '../ui/states.tsx';
import { Facts, Id, Money, Status } from '../ui/values.tsx';

type Whole = Schemas['OrganizationWithBalance'];

export function Organization() {
  const { id } = useParams({ from: '/organizations/$id' });
  const query = useQuery({
    queryKey: ['organization', id],
    queryFn: () => read<Whole>(`/organizations/${encodeURIComponent(id)}`),
    refetchInterval: liveMs,
  });
  const { data } = query;
  return (
    <>
      <nav className="mb-3 text-soft">
        <Link
          to="/organizations"
          search={keptFilters('/organizations')}
          className="hover:underline"
        >{`← ${text.organizations.all}`}</Link>
      </nav>
      <UntilRead of={query} title={id} />
      {data && (
        <>
          <Head of={data} />
          <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
            <div className="min-w-0 space-y-4">
              <BalanceCard of={data} />
              <Usage id={data.id} />
              <Statement id={data.id} />
            </div>
            <div className="min-w-0 space-y-4">
              <Holds id={data.id} />
              <Keys organizationId={data.id} isTest={data.test_of !== null} />
              <Endpoints id={data.id} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

function Head({ of }: { of: Whole }) {
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <Heading title={of.name} />
        <Id of={of.id} />
        {of.test_of && (
          <p className="mt-1 text-soft">
            {`${text.organizations.testOf} `}
            <Link to="/organizations/$id" params={{ id: of.test_of }} className="underline">
              <Id of={of.test_of} />
            </Link>
          </p>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Link to="/executions" search={{ organization: of.id }} className={linkLook}>
          {text.nav.executions}
        </Link>
        <Link to="/batches" search={{ organization: of.id }} className={linkLook}>
          {text.batches.title}
        </Link>
        <Link to="/playground" search={{ organization: of.id }} className={linkLook}>
          {text.nav.playground}
        </Link>
        <OpenPortal id={of.id} />
        <Adjustments of={of} />
      </div>
    </header>
  );
}

const portalCapabilities = ['executions', 'webhooks', 'keys', 'usage'];

/** Opens what the tenants see, in a tab of its own, by a link that works once. */
function OpenPortal({ id }: { id: string }) {
  const missingRole = useMissingRole('admin');
  const [error, setError] = useState<unknown>(null);
  const open = async () => {
    setError(null);
    // Opened before the link exists: browsers block what a click does not open itself.
    const tab = window.open('', '_blank');
    try {
      const { url } = await change<{ url: string }>('POST', `/organizations/${id}/portal-sessions`, {
        body: { capabilities: portalCapabilities },
      });
      if (!URL.canParse(url)) throw new RequestError(0, '', text.organizations.noPublicUrl);
      if (tab) tab.opener = null;
      tab?.location.replace(url);
    } catch (reason) {
      tab?.close();
      setError(reason);
    }
  };
  return (
    <>
      <Button
        onClick={() => void open()}
        disabled={missingRole !== null}
        title={missingRole ?? undefined}
      >{`${text.organizations.portal} ↗`}</Button>
      {error !== null && <Problem error={error} />}
    </>
  );
}

function BalanceCard({ of }: { of: Whole }) {
  const { data } = useQuery({
    queryKey: ['organization', of.id, 'history'],
    queryFn: () => read<Schemas['BalanceHistory']>(`/organizations/${of.id}/balance/history`),
    staleTime: 60_000,
  });
  const limit = of.spend_limit ? (
    <span>
      <Money of={of.spend_limit.spent} /> / <Money of={of.spend_limit.amount} />
    </span>
  ) : (
    <span className="text-soft">{text.organizations.noLimit}</span>
  );
  return (
    <Card
      title={`${text.organizations.balance} (${of.balance.currency})`}
      aside={
        <SpendLimit
          path={`/organizations/${of.id}/spend-limit`}
          name={of.name}
          current={of.spend_limit}
          stale={['organization', of.id]}
        />
      }
    >
      <Facts
        of={[
          [text.organizations.available, <Money key="available" of={of.balance.available} />],
          [text.organizations.held, <Money key="held" of={of.balance.held} />],
          [text.organizations.total, <Money key="total" of={of.balance.total} />],
          [text.organizations.limit, limit],
        ]}
      />
      {data && data.data.length > 1 && (
        <div className="mt-4">
          <AmountBars
            label={text.organizations.history}
            rows={data.data.map(({ day, available }) => ({ name: day, amount: available }))}
          />
        </div>
      )}
    </Card>
  );
}

function Statement({ id }: { id: string }) {
  const path = `/organizations/${id}/balance/transactions`;
  const pages = usePages(
    ['statement', id],
    (cursor) => read<Schemas['TransactionPage']>(path, { limit: 20, cursor }),
    { isLive: true },
  );
  return (
    <Card title={text.organizations.statement}>
      <List pages={pages} empty={<Empty title={text.organizations.noTransactions} />}>
        {(rows) => <Transactions rows={rows} />}
      </List>
      <More pages={pages} />
    </Card>
  );
}

const shownHolds = 10;

/** The open executions, whose holds are the held balance. */
function Holds({ id }: { id: string }) {
  const { data, error, isPending } = useQuery({
    queryKey: ['organization', id, 'holds'],
    queryFn: async () => {
      const pages = await Promise.all(
        openStatuses.map((status) =>
          read<Schemas['AnyExecutionPage']>('/executions', {
            organization_id: id,
            status,
            limit: shownHolds,
          }),
        ),
      );
      return pages.flatMap((page) => page.data).sort((a, b) => b.id.localeCompare(a.id));
    },
    refetchInterval: liveMs,
  });
  return (
    <Card title={text.organizations.holds}>
      {isPending && <Skeleton rows={2} />}
      {error && <Problem error={error} />}
      {data?.length === 0 && <p className="text-soft">{text.organizations.noHolds}</p>}
      <ul className="divide-y divide-line">
        {data?.slice(0, shownHolds).map((one) => (
          <li
            key={one.id}
            className="flex flex-wrap items-center justify-between gap-2 py-2 first:pt-0 last:pb-0"
          >
            <Link to="/executions/$id" params={{ id: one.id }} className="min-w-0 rounded underline">
              <Id of={one.id} />
            </Link>
            <Status of={one.status} />
            <Money of={one.hold_amount} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Endpoints({ id }: { id: string }) {
  const pages = usePages(['endpoints', id], async (cursor) => {
    const path = `/organizations/${id}/webhooks/endpoints`;
    const page = await read<Schemas['WebhookEndpointPage']>(path, { cursor });
    return { ...page, data: page.endpoints };
  });
  const empty = <Empty title={text.organizations.noEndpoints} hint={text.organizations.noEndpointsHint} />;
  return (
    <Card
      title={text.organizations.endpoints}
      aside={
        <NewEndpoint
          words={text.webhooks.adding}
          tone="plain"
          disabledBecause={useMissingRole('admin')}
          create={(body) => change('POST', `/organizations/${id}/webhooks/endpoints`, { body })}
        />
      }
    >
      <List pages={pages} empty={empty}>
        {(rows) => (
          <ul className="divide-y divide-line">
            {rows.map((endpoint) => (
              <EndpointRow key={endpoint.id} organizationId={id} of={endpoint} />
            ))}
          </ul>
        )}
      </List>
      <More pages={pages} />
    </Card>
  );
}

function EndpointRow({ organizationId, of }: { organizationId: string; of: Schemas['WebhookEndpoint'] }) {
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <Link
        to="/webhooks/endpoints/$id"
        params={{ id: of.id }}
        className="break-all font-medium underline decoration-soft"
      >
        {of.url}
      </Link>
      <p className="flex flex-wrap gap-x-3 text-soft text-xs">
        <Status of={stateOf(of)} />
        {of.failure_count > 0 && (
          <span className="text-bad">{text.organizations.failures(of.failure_count)}</span>
        )}
        {of.last_error && <span className="text-bad">{of.last_error}</span>}
      </p>
      <DeliveryLog organizationId={organizationId} endpointId={of.id} />
    </li>
  );
}

function DeliveryLog({ organizationId, endpointId }: { organizationId: string; endpointId: string }) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const missingRole = useMissingRole('support');
  const path = `/organizations/${organizationId}/webhooks/endpoints/${endpointId}`;
  const key = ['deliveries', endpointId];
  const { data, error, isLoading } = useQuery({
    queryKey: key,
    queryFn: () => read<Schemas['DeliveryPage']>(`${path}/deliveries`, { limit: 20 }),
    enabled: isOpen,
    refetchInterval: liveMs,
  });
  const [recovered, setRecovered] = useState<number | null>(null);
  const recover = async () => {
    setRecovered(await recoverLastDay((body) => change('POST', `${path}/recover`, { body })));
    await client.invalidateQueries({ queryKey: key });
  };
  return (
    <details className="mt-2" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer text-soft">{text.organizations.deliveries}</summary>
      <div className="mt-2 space-y-3">
        <Confirmed
          label={text.organizations.recover}
          question={text.organizations.recoverQuestion}
          disabledBecause={missingRole}
          act={recover}
        />
        {recovered !== null && <p role="status">{text.organizations.recovered(recovered)}</p>}
        {isLoading && <Skeleton rows={3} />}
        {error && <Problem error={error} />}
        {data?.deliveries.length === 0 && <Empty title={text.organizations.noDeliveries} />}
        <ul className="divide-y divide-line">
          {data?.deliveries.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              organizationId={organizationId}
              body={null}
              stale={key}
            />
          ))}
        </ul>
      </div>
    </details>
  );
}
