import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { change, read, type Schemas } from '../api.ts';
import { useMissingRole } from '../features/access/session.tsx';
import { OrganizationLink } from '../features/organizations/organizations.tsx';
import { TestResult } from '../features/webhooks/delivery.tsx';
import { EndpointBacklog, isInTrouble } from '../features/webhooks/endpointBacklog.tsx';
import { EndpointChart } from '../features/webhooks/endpointChart.tsx';
import { EndpointFields } from '../features/webhooks/endpointForm.tsx';
import { Recovery } from '../features/webhooks/recovery.tsx';
import { TestEvent } from '../features/webhooks/testEvent.tsx';
import { Facts, Latency, SuccessRate } from '../features/webhooks/webhookParts.tsx';
import { settingsIn, stateOf } from '../features/webhooks/webhooks.ts';
import { text } from '../strings.ts';
import { Card } from '../ui/card.tsx';
import { Confirmed } from '../ui/dialog.tsx';
import { FormDialog } from '../ui/form.tsx';
import { Heading } from '../ui/heading.tsx';
import { liveMs } from '../ui/intervals.ts';
import { keptFilters } from '../ui/lists.tsx';
import { ShownOnce } from '../ui/secret.tsx';
import { UntilRead } from '../ui/states.tsx';
import { Id, Status, Time } from '../ui/values.tsx';
import { DeliveryList } from './WebhookDeliveries.tsx';

type Endpoint = Schemas['AnyWebhookEndpoint'];

export function WebhookEndpoint() {
  const { id } = useParams({ from: '/webhooks/endpoints/$id' });
  const query = useQuery({
    queryKey: ['webhook endpoint', id],
    queryFn: () => read<Endpoint>(`/webhooks/endpoints/${encodeURIComponent(id)}`),
    refetchInterval: liveMs,
  });
  const { data } = query;
  return (
    <>
      <nav className="mb-3 text-soft">
        <Link
          to="/webhooks"
          search={keptFilters('/webhooks')}
          className="hover:underline"
        >{`← ${text.webhooks.all}`}</Link>
      </nav>
      <UntilRead of={query} title={id} />
      {data && <Details of={data} />}
    </>
  );
}

function Details({ of }: { of: Endpoint }) {
  return (
    <>
      <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <Heading title={of.url} className="break-all" />
          <p className="flex flex-wrap items-center gap-x-3">
            <Status of={stateOf(of)} />
            <Id of={of.id} />
          </p>
        </div>
        <Controls of={of} />
      </header>
      <EndpointBacklog
        of={of}
        readBacklog={() => read(`/organizations/${of.organization_id}/webhooks/endpoints/${of.id}/backlog`)}
        turnOn={<TurnOn of={of} />}
      />
      {of.last_error && !isInTrouble(of) && (
        <p className="mb-4 rounded-lg border border-line bg-card px-4 py-3">
          <span className="font-medium text-bad">{of.last_error}</span>{' '}
          <span className="text-soft">
            <Time at={of.last_failure} />
          </span>
        </p>
      )}
      <div className="mb-4">
        <EndpointChart
          id={of.id}
          readActivity={() =>
            read(`/organizations/${of.organization_id}/webhooks/endpoints/${of.id}/activity`)
          }
        />
      </div>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] xl:items-start">
        <Card title={text.webhooks.endpoint}>
          <FactsOf of={of} />
        </Card>
        <Deliveries of={of} />
      </div>
    </>
  );
}

/** The newest deliveries of an endpoint in trouble only wait, so the attempted ones are shown first. */
function Deliveries({ of }: { of: Endpoint }) {
  const [isAttempted, setAttempted] = useState(isInTrouble(of));
  const filters = { endpoint: of.id, ...(isAttempted && { attempted: 'yes' }) };
  return (
    <Card
      title={text.webhooks.deliveries}
      aside={
        <span className="flex flex-wrap items-center gap-x-4">
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={isAttempted}
              onChange={({ currentTarget }) => setAttempted(currentTarget.checked)}
            />
            {text.webhooks.onlyAttempted}
          </label>
          <Link to="/webhooks/deliveries" search={filters} className="underline">
            {text.webhooks.filter}
          </Link>
        </span>
      }
    >
      <DeliveryList filters={filters} of={of} />
    </Card>
  );
}

const pathOf = (of: Endpoint) => `/organizations/${of.organization_id}/webhooks/endpoints/${of.id}`;

function useTurn(of: Endpoint) {
  const client = useQueryClient();
  return async (isActive: boolean) => {
    await change('PATCH', pathOf(of), { body: { is_active: isActive } });
    await client.invalidateQueries({ queryKey: ['webhook endpoint', of.id] });
  };
}

function TurnOn({ of }: { of: Endpoint }) {
  const missingRole = useMissingRole('support');
  const turn = useTurn(of);
  return (
    <Confirmed
      label={text.webhooks.turnOn}
      verb={text.webhooks.turnItOn}
      question={text.webhooks.turnOnQuestion}
      disabledBecause={missingRole}
      act={() => turn(true)}
    />
  );
}

function FactsOf({ of }: { of: Endpoint }) {
  const { in_flight_limit: found, max_in_flight: most, max_per_second: rate } = of;
  return (
    <Facts
      of={[
        [text.list.organization, <OrganizationLink key="organization" id={of.organization_id} />],
        [text.webhooks.success, <SuccessRate key="rate" of={of.activity} />],
        [text.webhooks.latency, <Latency key="latency" of={of.activity} />],
        [
          text.webhooks.inFlight,
          found === null ? text.webhooks.unknownLimit(most) : text.webhooks.limitOf(found, most),
        ],
        [text.webhooks.perSecond, rate ?? text.webhooks.noRate],
        [text.webhooks.events, of.events.length === 0 ? text.webhooks.allEvents : of.events.join(', ')],
        [text.webhooks.models, of.models.length === 0 ? text.webhooks.allModels : of.models.join(', ')],
        [text.webhooks.payload, of.payload],
        [text.webhooks.dialect, of.dialect],
        [text.webhooks.description, of.description || '–'],
        [text.webhooks.lastSuccess, <Time key="success" at={of.last_success} />],
        [text.webhooks.failingSince, <Time key="failing" at={of.failing_since} />],
        ...(of.previous_secret_valid_until
          ? [
              [
                text.webhooks.previousSecret,
                <Time key="previous" at={of.previous_secret_valid_until} />,
              ] as const,
            ]
          : []),
        [text.organizations.created, <Time key="created" at={of.created_at} />],
      ]}
    />
  );
}

function Controls({ of }: { of: Endpoint }) {
  const client = useQueryClient();
  const [missingSupport, missingAdmin] = [useMissingRole('support'), useMissingRole('admin')];
  const [secret, setSecret] = useState<string | null>(null);
  const [test, setTest] = useState<Schemas['TestCallResult'] | null>(null);
  const path = pathOf(of);
  const turn = useTurn(of);
  const refresh = () => client.invalidateQueries({ queryKey: ['webhook endpoint', of.id] });
  const edit = async (form: FormData) => {
    await change('PATCH', path, { body: settingsIn(form, of) });
    await refresh();
  };
  const rotate = async () => {
    const rotated = await change<Schemas['RotatedWebhookSecret']>('POST', `${path}/rotate-secret`);
    setSecret(rotated.secret);
    void refresh();
  };
  return (
    <div className="max-w-3xl space-y-2">
      <div className="flex flex-wrap gap-2">
        <TestEvent
          label={text.webhooks.test}
          question={text.webhooks.testQuestion(of.url)}
          typeLabel={text.webhooks.testType}
          disabledBecause={missingSupport}
          send={async (body) => setTest(await change('POST', `${path}/test`, { body }))}
        />
        <Recovery filters={{ endpoint: of.id }} />
        <FormDialog
          label={text.webhooks.edit}
          submitLabel={text.webhooks.save}
          tone="plain"
          disabledBecause={missingAdmin}
          submit={edit}
        >
          <EndpointFields of={of} />
        </FormDialog>
        <Confirmed
          label={text.webhooks.rotate}
          question={text.webhooks.rotateQuestion}
          disabledBecause={missingAdmin}
          act={rotate}
        />
        {of.is_active && (
          <Confirmed
            label={text.webhooks.turnOff}
            verb={text.webhooks.turnItOff}
            question={text.webhooks.turnOffQuestion}
            tone="danger"
            disabledBecause={missingSupport}
            act={() => turn(false)}
          />
        )}
      </div>
      {/* As wide as the buttons, which must not move. */}
      <div className="w-0 min-w-full">{test && <TestResult of={test} />}</div>
      <ShownOnce
        value={secret}
        title={text.webhooks.newSecret}
        hint={text.webhooks.rotated}
        onClose={() => setSecret(null)}
      />
    </div>
  );
}
