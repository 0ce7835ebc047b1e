import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { change, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { DialogButton, useChangeDialog } from '../../ui/dialog.tsx';
import { textIn } from '../../ui/formData.ts';
import { Problem } from '../../ui/states.tsx';
import { useMissingRole } from '../access/session.tsx';
import { AmountField, positive } from './amountField.tsx';

type Props = {
  path: string;
  /** The path of the organization or key that is limited. */
  name: string;
  current: Schemas['SpendLimit'] | null;
  /** What to read again afterwards. */
  stale: readonly unknown[];
};

/** Sets or removes what may be spent in a month. Repeating it changes nothing. */
export function SpendLimit({ path, name, current, stale }: Props) {
  const client = useQueryClient();
  const dialog = useChangeDialog();
  const save = (request: () => Promise<unknown>) =>
    void dialog.run(async () => {
      await request();
      void client.invalidateQueries({ queryKey: stale });
    });
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const amount = textIn(new FormData(event.currentTarget), 'amount');
    save(() => change('PUT', path, { body: { amount } }));
  };
  return (
    <DialogButton
      label={text.spendLimit.change}
      title={text.spendLimit.of(name)}
      disabledBecause={useMissingRole('admin')}
      dialog={dialog}
    >
      <form onSubmit={onSubmit} className="space-y-3">
        <p className="text-soft">{text.spendLimit.about}</p>
        <AmountField pattern={positive} value={current?.amount} />
        {dialog.error !== null && <Problem error={dialog.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          {current && (
            <Button tone="danger" onClick={() => save(() => change('DELETE', path))}>
              {text.spendLimit.remove}
            </Button>
          )}
          <Button onClick={dialog.close}>{text.close}</Button>
          <Button type="submit" tone="primary">
            {text.spendLimit.set}
          </Button>
        </div>
      </form>
    </DialogButton>
  );
}
