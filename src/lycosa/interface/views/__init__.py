"""What is shown of crawls, clicks and topics? Reads, never writes."""
