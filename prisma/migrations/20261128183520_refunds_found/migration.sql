CREATE INDEX transfers_refunds ON transfers_funding (refund_of) WHERE refund_of IS NOT NULL;
