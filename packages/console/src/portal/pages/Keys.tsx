import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { stateOfKey } from '../../features/keys/apiKey.ts';
import { KeyFacts } from '../../features/keys/keyFacts.tsx';
import { text } from '../../strings/shared.ts';
import { Confirmed } from '../../ui/dialog.tsx';
import { Field, inputLook } from '../../ui/field.tsx';
import { Choices, FormDialog } from '../../ui/form.tsx';
import { textIn } from '../../ui/formData.ts';
import { Heading } from '../../ui/heading.tsx';
import { List, More, usePages } from '../../ui/lists.tsx';
import { ShownOnce } from '../../ui/secret.tsx';
import { Empty } from '../../ui/states.tsx';
import { change, read, type Schemas } from '../api.ts';
import { useSession } from '../session.tsx';
import { words } from '../strings.ts';

type ApiKey = Schemas['ApiKey'];

/** The changes of keys; `onValue` gets each new value, which is shown once. */
function useKeyChanges(onValue: (value: string) => void) {
  const client = useQueryClient();
  const { data: session } = useSession();
  const refresh = async () => await client.invalidateQueries({ queryKey: ['keys'] });
  /** Gateways would accept it for some seconds more. */
  const endSession = async () => {
    await change('DELETE', '/portal-session').catch(() => null);
    await client.invalidateQueries({ queryKey: ['session'] });
  };
  return {
    async create(form: FormData): Promise<void> {
      const scopes = form.getAll('scopes').map(String);
      const made = await change<Schemas['CreatedApiKey']>('POST', '/api-keys', {
        body: { name: textIn(form, 'name'), ...(scopes.length > 0 && { scopes }) },
      });
      onValue(made.key);
      void refresh();
    },
    async rotate(id: string): Promise<void> {
      const rotated = await change<Schemas['RotatedApiKey']>('POST', `/api-keys/${id}/rotate`);
      onValue(rotated.new_key);
      void refresh();
    },
    async revoke(id: string): Promise<void> {
      await change('DELETE', `/api-keys/${id}`);
      if (id === session?.key_id) await endSession();
      await refresh();
    },
  };
}

export function Keys() {
  const [value, setValue] = useState<string | null>(null);
  const { create, rotate, revoke } = useKeyChanges(setValue);
  const pages = usePages(['keys'], (cursor) => read<Schemas['ApiKeyPage']>('/api-keys', { cursor }));
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <Heading title={words.keys.title} />
        <FormDialog label={words.keys.add} submit={create}>
          <Field label={words.keys.name}>
            <input name="name" required maxLength={100} autoComplete="off" className={inputLook} />
          </Field>
          <Scopes />
        </FormDialog>
      </div>
      <div className="rounded-lg border border-line bg-card">
        <List pages={pages} empty={<Empty title={words.keys.empty} />}>
          {(rows) => (
            <ul className="divide-y divide-line">
              {rows.map((row) => (
                <KeyRow key={row.id} of={row} rotate={rotate} revoke={revoke} />
              ))}
            </ul>
          )}
        </List>
      </div>
      <More pages={pages} />
      <ShownOnce
        value={value}
        title={words.keys.value}
        hint={words.keys.valueHint}
        onClose={() => setValue(null)}
      />
    </>
  );
}

/** Those of the session's own key: it can give no others. */
function Scopes() {
  const { data } = useSession();
  return (
    <Choices
      name="scopes"
      label={`${words.keys.scopes} (${words.keys.scopesHint})`}
      of={data?.scopes ?? []}
    />
  );
}

function KeyRow(props: {
  of: ApiKey;
  rotate: (id: string) => Promise<void>;
  revoke: (id: string) => Promise<void>;
}) {
  const { of, rotate, revoke } = props;
  const { data: session } = useSession();
  const isOwn = of.id === session?.key_id;
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 px-4 py-3">
      <KeyFacts of={of} />
      {stateOfKey(of) === 'active' && (
        <div className="flex gap-2">
          <Confirmed
            label={words.keys.rotate}
            verb={words.keys.rotateKey}
            question={isOwn ? words.keys.rotateOwnQuestion : words.keys.rotateQuestion(of.name)}
            act={async () => await rotate(of.id)}
          />
          <Confirmed
            label={words.keys.revoke}
            verb={words.keys.revokeKey}
            question={isOwn ? words.keys.revokeOwnQuestion : words.keys.revokeQuestion(of.name)}
            tone="danger"
            act={async () => await revoke(of.id)}
          />
        </div>
      )}
    </li>
  );
}
