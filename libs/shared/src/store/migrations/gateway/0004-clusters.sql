-- Clusters that a tenant has registered. What opens them is sealed by the gateway and leaves it only into the vault of a
-- cycle; the other columns are what may be shown.
create table gateway.clusters (
  tenant_id text not null,
  name text not null,
  server text not null,
  namespace text,
  sealed bytea not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, name)
);
call shared.isolate('gateway.clusters');
grant select, insert, delete on gateway.clusters to ordeal_app;
