import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

import { oneOf, writtenXidColumn } from '../db/columns';

export const AUDIT_ACTOR_KINDS = ['USER', 'SYSTEM'] as const;
export type AuditActorKind = (typeof AUDIT_ACTOR_KINDS)[number];

/**
 * Who changed what. Rows are only inserted; a trigger refuses updates and deletes. There are no
 * foreign keys, because the trail outlives the objects that it names.
 */
@Entity('audit_event')
@Index(['organisationId', 'createdAt', 'id'])
@Index(['organisationId', 'id'])
@Index(['organisationId', 'action', 'id'])
@Index(['organisationId', 'actorId', 'id'])
@Index(['organisationId', 'targetId', 'id'])
@Index(['writtenXid', 'id'], { where: 'written_xid IS NOT NULL' })
@Check('audit_event_actor_kind_check', oneOf('actor_kind', AUDIT_ACTOR_KINDS))
export class AuditEvent {
  @PrimaryColumn('uuid')
  id!: string;

  /** Null for changes of the whole installation. */
  @Column('uuid', { nullable: true })
  organisationId!: string | null;

  @Column('text')
  actorKind!: AuditActorKind;

  @Column('uuid', { nullable: true })
  actorId!: string | null;

  @Column('text', { nullable: true })
  actorEmail!: string | null;

  /** `<resource>.<verb>`, for example `apikey.revoke`. */
  @Column('text')
  action!: string;

  @Column('text')
  targetType!: string;

  @Column('text', { nullable: true })
  targetId!: string | null;

  /** What changed, without secrets. */
  @Column('jsonb', { default: {} })
  details!: Record<string, unknown>;

  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column('text', { nullable: true })
  remoteAddress!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  /** The transaction that wrote the row, for the export. Null: written before it was stored. */
  @Column(writtenXidColumn)
  writtenXid!: bigint | null;
}
