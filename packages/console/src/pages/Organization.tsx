import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { change, read, type Schemas } from '../api.ts';
import {
  Button,
  Card,
  Confirmed,
  Dialog,
  Empty,
  Field,
  Id,
  inputLook,
  Money,
  Problem,
  Skeleton,
  Status,
  Time,
} from '../parts.tsx';
import { useRefusal } from '../session.tsx';
import { text } from '../strings.ts';
import { DeliveryRow } from './deliveries.tsx';
import { Transactions } from './Execution.tsx';

type Whole = Schemas['OrganizationWithBalance'];

export function Organization() {
  const { id } = useParams({ from: '/organizations/$id' });
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['organization', id],
    queryFn: () => read<Whole>(`/organizations/${encodeURIComponent(id)}`),
  });
  return (
    <>
      <nav className="mb-3 text-soft">
        <Link to="/organizations" className="hover:underline">{`← ${text.organizations.all}`}</Link>
      </nav>
      {isPending && <Skeleton rows={12} />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
            <div className="min-w-0">
              <h1 className="font-semibold text-xl">{data.name}</h1>
              <Id of={data.id} />
            </div>
            <div className="flex flex-wrap items-center gap-3">
              <Link to="/executions" search={{ organization: data.id }} className="underline">
                {text.organizations.executions}
              </Link>
              <TopUp of={data} />
            </div>
          </header>
          <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
            <div className="min-w-0 space-y-4">
              <BalanceCard of={data} />
              <Statement id={data.id} />
            </div>
            <div className="min-w-0 space-y-4">
              <Endpoints id={data.id} />
              <Keys id={data.id} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

function BalanceCard({ of }: { of: Whole }) {
  const facts: [string, string | null][] = [
    [text.organizations.available, of.balance.available],
    [text.organizations.held, of.balance.held],
    [text.organizations.total, of.balance.total],
  ];
  return (
    <Card title={`${text.organizations.balance} (${of.balance.currency})`}>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-soft text-xs">{name}</dt>
            <dd className="text-base">
              <Money of={value} />
            </dd>
          </div>
        ))}
        <div>
          <dt className="text-soft text-xs">{text.organizations.limit}</dt>
          <dd className="text-base">
            {of.spend_limit ? (
              <span>
                <Money of={of.spend_limit.spent} /> / <Money of={of.spend_limit.amount} />
              </span>
            ) : (
              <span className="text-soft">{text.organizations.noLimit}</span>
            )}
          </dd>
        </div>
      </dl>
    </Card>
  );
}

/** Browsers offer `randomUUID` on https and loopback only. */
function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** The key is made when the dialog opens: a double click, or a retry after a lost response, pays once. */
function TopUp({ of }: { of: Whole }) {
  const client = useQueryClient();
  const refusal = useRefusal('admin');
  const [key, setKey] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [done, setDone] = useState<string | null>(null);
  const close = () => {
    setKey(null);
    setTyped('');
    setError(null);
  };
  const submit = async (form: FormData, idempotencyKey: string) => {
    setBusy(true);
    setError(null);
    const amount = String(form.get('amount'));
    const reason = String(form.get('reason'));
    try {
      await change('POST', `/organizations/${of.id}/top-ups`, {
        body: { amount, ...(reason && { reason }) },
        idempotencyKey,
      });
      setDone(text.organizations.toppedUp(amount));
      close();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
      await client.invalidateQueries({ queryKey: ['organization', of.id] });
      await client.invalidateQueries({ queryKey: ['statement', of.id] });
    }
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (key !== null) void submit(new FormData(event.currentTarget), key);
  };
  return (
    <>
      {done && (
        <span role="status" className="text-good">
          {done}
        </span>
      )}
      <Button
        tone="primary"
        disabled={refusal !== null}
        title={refusal ?? undefined}
        onClick={() => {
          setDone(null);
          setKey(newIdempotencyKey());
        }}
      >
        {text.organizations.topUp}
      </Button>
      <Dialog title={`${text.organizations.topUp} ${of.name}`} isOpen={key !== null} onClose={close}>
        <form onSubmit={onSubmit} className="space-y-3">
          <p className="text-soft">{text.organizations.topUpAbout}</p>
          <Field label={text.organizations.amount}>
            <input
              name="amount"
              required
              inputMode="decimal"
              pattern="\d+(\.\d{1,8})?"
              placeholder="25.00"
              autoComplete="off"
              className={inputLook}
            />
          </Field>
          <Field label={text.organizations.reason}>
            <input name="reason" maxLength={200} autoComplete="off" className={inputLook} />
          </Field>
          <Field label={text.organizations.confirm(of.name)}>
            <input
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              className={inputLook}
            />
          </Field>
          {error !== null && <Problem error={error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={close}>{text.close}</Button>
            <Button type="submit" tone="primary" disabled={isBusy || typed !== of.name}>
              {text.organizations.topUp}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}

function Statement({ id }: { id: string }) {
  const pages = useInfiniteQuery({
    queryKey: ['statement', id],
    queryFn: ({ pageParam }) =>
      read<Schemas['TransactionPage']>(`/organizations/${id}/balance/transactions`, {
        cursor: pageParam,
        limit: 20,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const rows = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Card title={text.organizations.statement}>
      {pages.isPending && <Skeleton />}
      {pages.isError && <Problem error={pages.error} onRetry={() => void pages.refetch()} />}
      {pages.data && rows.length === 0 && <Empty title={text.organizations.noTransactions} />}
      {rows.length > 0 && <Transactions rows={rows} />}
      {pages.hasNextPage && (
        <div className="mt-3">
          <Button onClick={() => void pages.fetchNextPage()}>{text.list.more}</Button>
        </div>
      )}
    </Card>
  );
}

function Keys({ id }: { id: string }) {
  const { data, error, isPending } = useQuery({
    queryKey: ['keys', id],
    queryFn: () => read<Schemas['ApiKeyPage']>(`/organizations/${id}/api-keys`),
  });
  return (
    <Card title={text.organizations.keys}>
      {isPending && <Skeleton rows={3} />}
      {error && <Problem error={error} />}
      {data?.data.length === 0 && <Empty title={text.organizations.noKeys} />}
      <ul className="divide-y divide-line">
        {data?.data.map((key) => (
          <li key={key.id} className="flex flex-wrap justify-between gap-2 py-2 first:pt-0 last:pb-0">
            <span>
              <span className="block font-medium">{key.name}</span>
              <span className="font-mono text-soft text-xs">{`${key.prefix}…`}</span>
            </span>
            <span className="text-soft">
              <Time at={key.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Endpoints({ id }: { id: string }) {
  const { data, error, isPending } = useQuery({
    queryKey: ['endpoints', id],
    queryFn: () => read<Schemas['WebhookEndpointPage']>(`/organizations/${id}/webhooks/endpoints`),
  });
  return (
    <Card title={text.organizations.endpoints}>
      {isPending && <Skeleton rows={3} />}
      {error && <Problem error={error} />}
      {data?.endpoints.length === 0 && <Empty title={text.organizations.noEndpoints} />}
      <ul className="divide-y divide-line">
        {data?.endpoints.map((endpoint) => (
          <li key={endpoint.id} className="py-3 first:pt-0 last:pb-0">
            <p className="break-all font-medium">{endpoint.url}</p>
            <p className="flex flex-wrap gap-x-3 text-soft text-xs">
              <Status of={endpoint.is_active ? text.organizations.active : text.organizations.inactive} />
              {endpoint.failure_count > 0 && (
                <span className="text-bad">{text.organizations.failures(endpoint.failure_count)}</span>
              )}
              {endpoint.last_error && <span className="text-bad">{endpoint.last_error}</span>}
            </p>
            <DeliveryLog organizationId={id} endpointId={endpoint.id} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

const dayMs = 86_400_000;

function DeliveryLog({ organizationId, endpointId }: { organizationId: string; endpointId: string }) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal('support');
  const path = `/organizations/${organizationId}/webhooks/endpoints/${endpointId}`;
  const key = ['deliveries', endpointId];
  const { data, error, isLoading } = useQuery({
    queryKey: key,
    queryFn: () => read<Schemas['DeliveryPage']>(`${path}/deliveries`, { limit: 20 }),
    enabled: isOpen,
    refetchInterval: 5000,
  });
  const recover = async () => {
    await change('POST', `${path}/recover`, { body: { since: new Date(Date.now() - dayMs).toISOString() } });
    await client.invalidateQueries({ queryKey: key });
  };
  return (
    <details className="mt-2" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer text-soft">{text.organizations.deliveries}</summary>
      <div className="mt-2 space-y-3">
        <Confirmed
          label={text.organizations.recover}
          question={text.organizations.recoverQuestion}
          disabledBecause={refusal}
          act={recover}
        />
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
