-- CreateTable
CREATE TABLE "alerts" (
    "id" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "count" DOUBLE PRECISION,
    "age_s" DOUBLE PRECISION,
    "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "missing_at" TIMESTAMPTZ(3),
    "raised_at" TIMESTAMPTZ(3),
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "alerts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_messages" (
    "id" TEXT NOT NULL,
    "receiver" TEXT NOT NULL,
    "test_id" TEXT,
    "content" JSON NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "alert_messages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "alert_messages_test_id_idx" ON "alert_messages"("test_id");

-- One alert for each thing that needs an operator.
CREATE UNIQUE INDEX "alerts_open" ON "alerts"("code", "subject") WHERE "resolved_at" IS NULL;
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_resolved" CHECK (resolved_at IS NULL OR (raised_at IS NOT NULL AND missing_at IS NOT NULL));

CREATE INDEX "alert_messages_due" ON "alert_messages"("next_attempt_at") WHERE "next_attempt_at" IS NOT NULL;
ALTER TABLE "alert_messages" ADD CONSTRAINT "alert_messages_sent" CHECK (sent_at IS NULL OR next_attempt_at IS NULL);
