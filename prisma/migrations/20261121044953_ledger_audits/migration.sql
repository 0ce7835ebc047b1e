-- CreateTable
CREATE TABLE "ledger_audits" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "breaches" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "ledger_audits_pkey" PRIMARY KEY ("id")
);
