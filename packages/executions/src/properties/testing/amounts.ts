/** Integers of 0.00000001, so that the model shares no arithmetic with the ledger. */
export type Units = bigint;

const decimals = 8;

/** `"-1.5"` is -150000000n. */
export function units(amount: string): Units {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** As in the database: `"-1.50000000"`. */
export function money(amount: Units): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Contract 5.1: estimated cost times 1.2, minimum 0.01, rounded up. */
export function holdOf(estimate: string): Units {
  const hold = (units(estimate) * 12n + 9n) / 10n;
  return hold < 1_000_000n ? 1_000_000n : hold;
}
