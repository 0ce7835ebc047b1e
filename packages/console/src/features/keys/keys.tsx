import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change, read, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Card } from '../../ui/card.tsx';
import { Confirmed } from '../../ui/dialog.tsx';
import { Field, inputLook } from '../../ui/field.tsx';
import { Choices, FormDialog } from '../../ui/form.tsx';
import { List, More, usePages } from '../../ui/lists.tsx';
import { ShownOnce } from '../../ui/secret.tsx';
import { Empty } from '../../ui/states.tsx';
import { useMissingRole } from '../access/session.tsx';
import { SpendLimit } from '../money/spendLimit.tsx';
import { keyIn, stateOfKey } from './apiKey.ts';
import { KeyFacts } from './keyFacts.tsx';

type Key = Schemas['ApiKey'];

const scopes: Key['scopes'] = [
  'executions:write',
  'executions:read',
  'files',
  'webhooks',
  'balance',
  'keys',
  'portal',
];

export function Keys({ organizationId, isTest }: { organizationId: string; isTest: boolean }) {
  const pages = usePages(['keys', organizationId], (cursor) =>
    read<Schemas['ApiKeyPage']>(`/organizations/${organizationId}/api-keys`, { cursor }),
  );
  const [shown, setShown] = useState<string | null>(null);
  return (
    <Card
      title={text.keys.title}
      aside={<NewKey organizationId={organizationId} isTest={isTest} onCreated={setShown} />}
    >
      <List pages={pages} empty={<Empty title={text.keys.empty} hint={text.keys.emptyHint} />}>
        {(rows) => (
          <ul className="divide-y divide-line">
            {rows.map((key) => (
              <KeyRow key={key.id} of={key} organizationId={organizationId} onRotated={setShown} />
            ))}
          </ul>
        )}
      </List>
      <More pages={pages} />
      <ShownOnce value={shown} title={text.keys.value} hint={text.keys.once} onClose={() => setShown(null)} />
    </Card>
  );
}

type RowProps = { of: Key; organizationId: string; onRotated: (value: string) => void };

function KeyRow({ of, organizationId, onRotated }: RowProps) {
  const client = useQueryClient();
  const missingRole = useMissingRole('admin');
  const state = stateOfKey(of);
  const path = `/organizations/${organizationId}/api-keys/${of.id}`;
  const refresh = () => client.invalidateQueries({ queryKey: ['keys', organizationId] });
  const rotate = async () => {
    const { new_key: value } = await change<{ new_key: string }>('POST', `${path}/rotate`);
    onRotated(value);
    void refresh();
  };
  const revoke = async () => {
    await change('DELETE', path);
    await refresh();
  };
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <KeyFacts of={of} />
        {state === 'active' && (
          <div className="flex flex-wrap gap-2">
            <SpendLimit
              path={`${path}/spend-limit`}
              name={of.name}
              current={of.spend_limit}
              stale={['keys', organizationId]}
            />
            <Confirmed
              label={text.keys.rotate}
              verb={text.keys.rotateKey}
              question={text.keys.rotateQuestion(of.name)}
              disabledBecause={missingRole}
              act={rotate}
            />
            <Confirmed
              label={text.keys.revoke}
              verb={text.keys.revokeKey}
              question={text.keys.revokeQuestion(of.name)}
              tone="danger"
              disabledBecause={missingRole}
              act={revoke}
            />
          </div>
        )}
      </div>
    </li>
  );
}

type NewKeyProps = { organizationId: string; isTest: boolean; onCreated: (value: string) => void };

function NewKey({ organizationId, isTest, onCreated }: NewKeyProps) {
  const client = useQueryClient();
  const create = async (form: FormData) => {
    const path = `/organizations/${organizationId}/api-keys`;
    const { key } = await change<Schemas['NewApiKey']>('POST', path, { body: keyIn(form) });
    onCreated(key);
    void client.invalidateQueries({ queryKey: ['keys', organizationId] });
  };
  return (
    <FormDialog
      label={text.keys.create}
      tone="plain"
      disabledBecause={useMissingRole('admin')}
      submit={create}
    >
      <Field label={text.organizations.name}>
        <input name="name" required maxLength={100} autoComplete="off" className={inputLook} />
      </Field>
      <Choices name="scopes" label={text.keys.scopes} of={scopes} chosen={scopes} />
      <Field label={text.keys.models}>
        <input name="models" autoComplete="off" className={inputLook} />
      </Field>
      <Field label={text.keys.addresses}>
        <input name="addresses" autoComplete="off" className={inputLook} />
      </Field>
      <Field label={text.keys.until}>
        <input name="expires_at" type="datetime-local" className={inputLook} />
      </Field>
      {!isTest && (
        <label className="flex items-center gap-2">
          <input type="checkbox" name="is_test" />
          {text.keys.test}
        </label>
      )}
    </FormDialog>
  );
}
