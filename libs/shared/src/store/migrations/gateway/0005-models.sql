-- The endpoint of a tenant's model. What opens it is sealed by the gateway and leaves it only into the vault of a cycle; the
-- other columns are what may be shown.
create table gateway.models (
  tenant_id text primary key,
  base_url text not null,
  model text not null,
  sealed bytea not null,
  created_at timestamptz not null default now()
);
call shared.isolate('gateway.models');
grant select, insert, update, delete on gateway.models to ordeal_app;
