import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  Unique,
} from 'typeorm';
import { bigintColumn, oneOf } from '../../db/columns';
import { Organisation } from '../organisations/organisation.entity';

export const INVOICE_STATUSES = ['DRAFT', 'ISSUED', 'PAID', 'VOID'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** What an organisation owes for a span of time. */
@Entity('invoice')
@Unique(['organisationId', 'id'])
@Unique(['organisationId', 'number'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('invoice_status_check', oneOf('status', INVOICE_STATUSES))
@Check('invoice_span_check', 'starts_at < ends_at')
export class Invoice {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  number!: string;

  @Column('timestamptz')
  startsAt!: Date;

  @Column('timestamptz')
  endsAt!: Date;

  @Column('text', { default: 'DRAFT' })
  status!: InvoiceStatus;

  @Column(bigintColumn)
  totalNanoUsd!: bigint;

  @Column('timestamptz', { nullable: true })
  issuedAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
