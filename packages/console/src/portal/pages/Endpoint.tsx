import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { DeliveryView, TestResult } from '../../features/webhooks/delivery.tsx';
import { EndpointBacklog } from '../../features/webhooks/endpointBacklog.tsx';
import { EndpointChart } from '../../features/webhooks/endpointChart.tsx';
import { EndpointFields } from '../../features/webhooks/endpointForm.tsx';
import { TestEvent } from '../../features/webhooks/testEvent.tsx';
import { recoverLastDay, settingsIn, stateOf } from '../../features/webhooks/webhooks.ts';
import { text } from '../../strings/shared.ts';
import { Card } from '../../ui/card.tsx';
import { Confirmed } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Heading } from '../../ui/heading.tsx';
import { liveMs } from '../../ui/intervals.ts';
import { List, More, usePages } from '../../ui/lists.tsx';
import { ShownOnce } from '../../ui/secret.tsx';
import { Empty, UntilRead } from '../../ui/states.tsx';
import { Id, Status, Time } from '../../ui/values.tsx';
import { change, read, type Schemas } from '../api.ts';
import { words } from '../strings.ts';

type WebhookEndpoint = Schemas['WebhookEndpoint'];

export function Endpoint() {
  const { id } = useParams({ from: '/webhooks/$id' });
  const query = useQuery({
    queryKey: ['endpoint', id],
    queryFn: () => read<WebhookEndpoint>(`/webhooks/endpoints/${encodeURIComponent(id)}`),
    refetchInterval: liveMs,
  });
  const { data } = query;
  return (
    <>
      <nav className="mb-3 text-soft">
        <Link to="/webhooks" className="hover:underline">{`← ${words.webhooks.back}`}</Link>
      </nav>
      <UntilRead of={query} title={id} rows={6} />
      {data && (
        <div className="space-y-4">
          <Head of={data} />
          <EndpointBacklog
            of={data}
            readBacklog={() => read(`/webhooks/endpoints/${data.id}/backlog`)}
            turnOn={<TurnOn of={data} />}
          />
          <EndpointChart id={data.id} readActivity={() => read(`/webhooks/endpoints/${data.id}/activity`)} />
          <Deliveries id={data.id} />
        </div>
      )}
    </>
  );
}

function Head({ of }: { of: WebhookEndpoint }) {
  const facts: [string, string | null][] = [
    [words.webhooks.lastSuccess, of.last_success],
    [words.webhooks.lastFailure, of.last_failure],
  ];
  return (
    <header>
      <Heading title={of.url} className="flex flex-wrap items-center gap-x-3 break-all">
        {of.url} <Status of={stateOf(of)} />
      </Heading>
      <p className="mt-1 text-soft">
        <Id of={of.id} /> · {of.events.length === 0 ? words.webhooks.all : of.events.join(', ')}
      </p>
      {of.description && <p className="mt-1">{of.description}</p>}
      <dl className="mt-2 flex flex-wrap gap-x-6 gap-y-1 text-xs">
        {facts.map(([name, at]) => (
          <div key={name}>
            <dt className="inline text-soft">{`${name}: `}</dt>
            <dd className="inline">
              <Time at={at} />
            </dd>
          </div>
        ))}
      </dl>
      {of.failure_count > 0 && (
        <p className="mt-1 text-bad text-xs">
          {text.organizations.failures(of.failure_count)}
          {of.last_error && `: ${of.last_error}`}
        </p>
      )}
      <Commands of={of} />
    </header>
  );
}

/** Reads the endpoint again, and what is shown of its deliveries. */
function useRefresh(id: string) {
  const client = useQueryClient();
  return async () => {
    for (const queryKey of [['endpoint', id], ['endpoints'], ['deliveries'], ['webhook endpoint', id]])
      await client.invalidateQueries({ queryKey });
  };
}

function TurnOn({ of }: { of: WebhookEndpoint }) {
  const refresh = useRefresh(of.id);
  const activate = async () => {
    await change('PATCH', `/webhooks/endpoints/${of.id}`, { body: { is_active: true } });
    await refresh();
  };
  return (
    <Confirmed
      label={words.webhooks.activate}
      verb={words.webhooks.activateEndpoint}
      question={words.webhooks.activateQuestion}
      act={activate}
    />
  );
}

function useCommands(of: WebhookEndpoint) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const refresh = useRefresh(of.id);
  const path = `/webhooks/endpoints/${of.id}`;
  const patch = async (body: object) => {
    await change('PATCH', path, { body });
    await refresh();
  };
  return {
    deactivate: () => patch({ is_active: false }),
    edit: (form: FormData) => patch(settingsIn(form, of)),
    test: (body: object) => change<Schemas['TestCallResult']>('POST', `${path}/test`, { body }),
    async rotate(): Promise<string> {
      return (await change<Schemas['RotatedWebhookSecret']>('POST', `${path}/rotate-secret`)).secret;
    },
    async recover(): Promise<number> {
      const count = await recoverLastDay((body) => change('POST', `${path}/recover`, { body }));
      await refresh();
      return count;
    },
    async remove(): Promise<void> {
      await change('DELETE', path);
      await navigate({ to: '/webhooks', replace: true });
      client.removeQueries({ queryKey: ['endpoint', of.id] });
      await client.invalidateQueries({ queryKey: ['endpoints'] });
    },
  };
}

function Commands({ of }: { of: WebhookEndpoint }) {
  const commands = useCommands(of);
  const [secret, setSecret] = useState<string | null>(null);
  const [recovered, setRecovered] = useState<number | null>(null);
  const [test, setTest] = useState<Schemas['TestCallResult'] | null>(null);
  return (
    <>
      <div className="mt-3 flex flex-wrap gap-2">
        <TestEvent
          label={words.webhooks.test}
          question={words.webhooks.testQuestion}
          typeLabel={words.webhooks.testType}
          send={async (body) => setTest(await commands.test(body))}
        />
        <FormDialog
          label={text.webhooks.edit}
          submitLabel={text.webhooks.save}
          tone="plain"
          submit={commands.edit}
        >
          <EndpointFields of={of} />
        </FormDialog>
        {of.is_active && (
          <Confirmed
            label={words.webhooks.deactivate}
            verb={words.webhooks.deactivateEndpoint}
            question={words.webhooks.deactivateQuestion}
            act={commands.deactivate}
          />
        )}
        <Confirmed
          label={words.webhooks.recover}
          question={words.webhooks.recoverQuestion}
          act={async () => setRecovered(await commands.recover())}
        />
        <Confirmed
          label={words.webhooks.rotate}
          question={words.webhooks.rotateQuestion}
          act={async () => setSecret(await commands.rotate())}
        />
        <Confirmed
          label={words.webhooks.remove}
          verb={words.webhooks.removeEndpoint}
          question={words.webhooks.removeQuestion}
          tone="danger"
          act={commands.remove}
        />
      </div>
      {test && (
        <div className="mt-2">
          <TestResult of={test} />
        </div>
      )}
      {recovered !== null && (
        <p role="status" className="mt-2">
          {text.organizations.recovered(recovered)}
        </p>
      )}
      <ShownOnce
        value={secret}
        title={words.webhooks.secret}
        hint={words.webhooks.secretHint}
        onClose={() => setSecret(null)}
      />
    </>
  );
}

function Deliveries({ id }: { id: string }) {
  const client = useQueryClient();
  const queryKey = ['deliveries', id];
  const pages = usePages(
    queryKey,
    async (cursor) => {
      const page = await read<Schemas['DeliveryPage']>(`/webhooks/endpoints/${id}/deliveries`, { cursor });
      return { ...page, data: page.deliveries };
    },
    { isLive: true },
  );
  const redeliver = async (delivery: string) => {
    await change('POST', `/webhooks/deliveries/${delivery}/redeliver`);
    await client.invalidateQueries({ queryKey });
  };
  return (
    <Card title={words.webhooks.deliveries}>
      <List pages={pages} empty={<Empty title={words.webhooks.noDeliveries} />}>
        {(rows) => (
          <ul className="divide-y divide-line">
            {rows.map((delivery) => (
              <DeliveryView
                key={delivery.id}
                delivery={delivery}
                redeliver={async () => await redeliver(delivery.id)}
              />
            ))}
          </ul>
        )}
      </List>
      <More pages={pages} />
    </Card>
  );
}
