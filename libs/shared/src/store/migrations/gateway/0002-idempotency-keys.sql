-- Requests to start a cycle that carried an Idempotency-Key: the same key with the same body finds the same cycle.
create table gateway.idempotency_keys (
  tenant_id text not null,
  key text not null check (length(key) <= 255),
  body_hash bytea not null,
  cycle_id text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, key)
);
create index idempotency_keys_by_age on gateway.idempotency_keys (created_at);
call shared.isolate('gateway.idempotency_keys');
grant select, insert, delete on gateway.idempotency_keys to ordeal_app;
