import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

import { Organisation } from '../../entities/organisation.entity';

/** The last invoice number of an organisation; numbers have no gaps. */
@Entity('invoice_sequence')
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
export class InvoiceSequence {
  @PrimaryColumn('uuid')
  organisationId!: string;

  @Column('integer')
  lastNumber!: number;
}
