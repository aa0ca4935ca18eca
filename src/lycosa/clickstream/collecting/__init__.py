"""The collector: receives what the beacon sends, judges it and has it kept. Start with `collector`."""
