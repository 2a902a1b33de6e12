import { rest } from '@tollgate/contracts';
import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { oneOf } from '../db/columns';
import { Organisation } from './organisation.entity';

export const MAIL_KINDS = ['INVITATION', 'PASSWORD_RESET'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** A letter, written in the transaction of the change that it reports, and its delivery state. */
@Entity('mail_outbox')
@Index('mail_outbox_due_idx', ['nextAttemptAt'], { where: `status = 'PENDING'` })
@Index(['createdAt'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('mail_outbox_kind_check', oneOf('kind', MAIL_KINDS))
@Check('mail_outbox_status_check', oneOf('status', rest.MAIL_STATUSES))
export class MailOutbox {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { nullable: true })
  organisationId!: string | null;

  @Column('text')
  kind!: MailKind;

  @Column('text')
  recipient!: string;

  /** The sealed content, including its link; deleted when it was sent or given up. */
  @Column('jsonb', { nullable: true })
  sealed!: object | null;

  @Column('text', { default: 'PENDING' })
  status!: rest.MailStatus;

  @Column('integer', { default: 0 })
  attempts!: number;

  /** When the next attempt is due; for a letter being delivered, the end of its lease. */
  @Column('timestamptz')
  nextAttemptAt!: Date;

  /** When its link expires, after which it is not sent. */
  @Column('timestamptz')
  expiresAt!: Date;

  @Column('text', { nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { nullable: true })
  sentAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
