/**
 * CTEs from `priced` and the locked `balance` and `spent` to `charge`, which adds `charged`, `unpaid`, `is_above` (its
 * hold) and `reason` (the cap). Executions within their hold come first and give back the rest. The others, in order of
 * id, take what they lack while every cap has room: both spend limits and the balance. A null room is unlimited. A
 * limit counts its own month only: an execution of another month gets nothing above its hold.
 */
export const chargeSql = `
policy AS (
  SELECT b.organization_id, coalesce(b.overage, s.overage, 'charge') = 'cap' AS caps_balance,
    coalesce(b.spend_limit_overage, s.spend_limit_overage, 'charge') = 'cap' AS caps_spending
  FROM balance b LEFT JOIN ledger_settings s ON s.id = 1
),
involved AS (
  SELECT *, sum(greatest(hold - price, 0)) OVER o AS left_over,
    sum(greatest(hold - price, 0)) OVER m AS left_over_in_month,
    sum(greatest(hold - price, 0)) OVER k AS left_over_of_key
  FROM priced WHERE organization_id = ANY (ARRAY (SELECT organization_id FROM priced WHERE price > hold))
  WINDOW o AS (PARTITION BY organization_id), m AS (PARTITION BY organization_id, month),
    k AS (PARTITION BY organization_id, month, api_key_id)
),
excess AS (
  SELECT i.*, i.price - i.hold AS lacking,
    CASE WHEN p.caps_spending AND k.scope_id IS NOT NULL THEN
      CASE k.month WHEN i.month THEN greatest(k.amount - k.spent + i.left_over_of_key, 0) ELSE 0 END END AS key_room,
    CASE WHEN p.caps_spending AND o.scope_id IS NOT NULL THEN
      CASE o.month WHEN i.month THEN greatest(o.amount - o.spent + i.left_over_in_month, 0) ELSE 0 END END AS limit_room,
    CASE WHEN p.caps_balance THEN greatest(b.available + i.left_over, 0) END AS balance_room
  FROM involved i JOIN balance b USING (organization_id) JOIN policy p USING (organization_id)
    LEFT JOIN spent o ON o.scope_id = i.organization_id LEFT JOIN spent k ON k.scope_id = i.api_key_id
  WHERE i.price > i.hold
),
under_key AS (${granted('excess', 'lacking', 'key_room', 'organization_id, month, api_key_id')}),
under_limits AS (${granted('under_key', 'by_key_room', 'limit_room', 'organization_id, month')}),
allowed AS (${granted('under_limits', 'by_limit_room', 'balance_room', 'organization_id')}),
charge AS MATERIALIZED (
  SELECT id, status, outcome, large, price AS charged, 0 AS unpaid, false AS is_above, NULL AS reason FROM priced WHERE price <= hold
  UNION ALL
  SELECT id, status, outcome, large, hold + by_balance_room, lacking - by_balance_room, true,
    CASE WHEN by_balance_room < by_limit_room THEN 'balance' ELSE 'spend_limit' END FROM allowed
)`;

// Adds `by_<room>`: what each row gets of `wanted`, in order, until its group's room is used up. A key's group lies
// within its organization's, so applying one room after the other equals a loop over the rows.
function granted(from: string, wanted: string, room: string, group: string): string {
  return `
  SELECT *, CASE WHEN ${room} IS NULL THEN ${wanted} ELSE
    least(sum(${wanted}) OVER w, ${room}) - least(sum(${wanted}) OVER w - ${wanted}, ${room}) END AS by_${room}
  FROM ${from} WINDOW w AS (PARTITION BY ${group} ORDER BY id)`;
}
