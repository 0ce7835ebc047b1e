-- CreateTable
CREATE TABLE "ledger_audits" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "finished_at" TIMESTAMPTZ(3) NOT NULL,
    "breaches" JSONB NOT NULL,

    CONSTRAINT "ledger_audits_pkey" PRIMARY KEY ("id")
);

ALTER TABLE ledger_audits ADD CONSTRAINT ledger_audits_one CHECK (id = 1);
